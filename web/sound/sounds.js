// The sounds of the table, wood and paper, made from sines and noise when they are played.

import { settings } from "../settings.js";

/** @typedef {(context: AudioContext, output: AudioNode) => void} Part */
/** @typedef {"card" | "deal" | "sweep" | "turn" | "made" | "missed" | "end"} Sound */

/** The loudness of everything. */
const VOLUME = 0.3;

/**
 * A struck piece of wood: a sine that decays, with a shorter one four times as high. Times are in seconds, pitches in Hz.
 * @param {number} at from the start @param {number} pitch @param {number} length @param {number} level @returns {Part}
 */
const knock = (at, pitch, length, level) => (context, output) => {
  for (const [times, share] of /** @type {const} */ ([
    [1, 1],
    [4, 5],
  ])) {
    const sine = context.createOscillator();
    const start = context.currentTime + at;
    sine.frequency.value = pitch * times;
    sine.connect(envelope(output, start, 0.004, length / times, level / share));
    sine.start(start);
    sine.stop(start + length / times);
  }
};

/**
 * Paper that slides: noise through a filter that moves from one pitch to another.
 * @param {number} at from the start @param {number} from @param {number} to @param {number} length @param {number} level @returns {Part}
 */
const rustle = (at, from, to, length, level) => (context, output) => {
  const source = context.createBufferSource();
  const filter = context.createBiquadFilter();
  const start = context.currentTime + at;
  source.buffer = noise ??= whiteNoise(context);
  filter.type = "bandpass";
  filter.Q.value = 0.9;
  filter.frequency.setValueAtTime(from, start);
  filter.frequency.exponentialRampToValueAtTime(to, start + length);
  source.connect(filter).connect(envelope(output, start, length / 5, length, level));
  source.start(start, Math.random() * 0.5, length);
};

/** @type {Record<Sound, Part[]>} */
const SOUNDS = {
  card: [knock(0.012, 150, 0.045, 0.4), rustle(0, 3400, 1500, 0.06, 0.8)],
  deal: [0, 1, 2, 3, 4, 5, 6].map((card) => rustle(card * 0.075, 2600 + card * 120, 1700, 0.05, 0.65)),
  sweep: [rustle(0, 900, 2600, 0.24, 0.8)],
  turn: [knock(0, 440, 0.28, 0.45), knock(0.13, 587, 0.42, 0.45)],
  made: [knock(0, 392, 0.7, 0.4), knock(0.09, 494, 0.9, 0.4)],
  missed: [knock(0, 98, 0.16, 0.9), knock(0.15, 87, 0.22, 0.7), rustle(0, 320, 160, 0.06, 0.5)],
  end: [262, 330, 392, 523].map((pitch, note) => knock(note * 0.14, pitch, 0.9, 0.38)),
};

/** @type {AudioContext | null} */
let context = null;
/** @type {AudioBuffer | null} */
let noise = null;

/** Plays a sound, unless they are off, the page is hidden, or nobody has touched it yet. @param {Sound} name */
export function play(name) {
  if (!settings.get("sound") || document.hidden || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
  const volume = context.createGain();
  volume.gain.value = VOLUME;
  volume.connect(context.destination);
  for (const part of SOUNDS[name]) part(context, volume);
}

/** @param {AudioNode} output @param {number} start @param {number} rise @param {number} length @param {number} level */
function envelope(output, start, rise, length, level) {
  const gain = output.context.createGain();
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(level, start + rise);
  gain.gain.exponentialRampToValueAtTime(0.001, start + length);
  gain.connect(output);
  return gain;
}

/** A second of noise. @param {AudioContext} context */
function whiteNoise(context) {
  const buffer = context.createBuffer(1, context.sampleRate, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let at = 0; at < samples.length; at += 1) samples[at] = Math.random() * 2 - 1;
  return buffer;
}
