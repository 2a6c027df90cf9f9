// The sounds of the table, wood and paper, made from sines and noise when they are played.

import { settings } from "../settings.js";

/** @typedef {"card" | "deal" | "sweep" | "turn" | "made" | "missed" | "end"} Sound */

/**
 * A struck piece of wood: a sine that decays, with a shorter one four times as high.
 * @typedef {object} Knock
 * @property {number} at seconds from the start
 * @property {number} pitch Hz
 * @property {number} length seconds
 * @property {number} level
 */

/**
 * Paper that slides: noise through a filter that moves from one pitch to another.
 * @typedef {object} Rustle
 * @property {number} at seconds from the start
 * @property {number} from Hz
 * @property {number} to Hz
 * @property {number} length seconds
 * @property {number} level
 */

/** The loudness of everything. */
const VOLUME = 0.3;

/** A card that lands. @param {number} at @param {number} level */
const landing = (at, level) => ({
  knocks: [{ at: at + 0.012, pitch: 150, length: 0.045, level: level * 0.5 }],
  rustles: [{ at, from: 3400, to: 1500, length: 0.06, level }],
});

/** @type {Record<Sound, { knocks?: Knock[], rustles?: Rustle[] }>} */
const SOUNDS = {
  card: landing(0, 0.8),
  deal: {
    rustles: [0, 1, 2, 3, 4, 5, 6].map((card) => ({ at: card * 0.075, from: 2600 + card * 120, to: 1700, length: 0.05, level: 0.65 })),
  },
  sweep: { rustles: [{ at: 0, from: 900, to: 2600, length: 0.24, level: 0.8 }] },
  turn: {
    knocks: [
      { at: 0, pitch: 440, length: 0.28, level: 0.45 },
      { at: 0.13, pitch: 587, length: 0.42, level: 0.45 },
    ],
  },
  made: {
    knocks: [
      { at: 0, pitch: 392, length: 0.7, level: 0.4 },
      { at: 0.09, pitch: 494, length: 0.9, level: 0.4 },
    ],
  },
  missed: {
    knocks: [
      { at: 0, pitch: 98, length: 0.16, level: 0.9 },
      { at: 0.15, pitch: 87, length: 0.22, level: 0.7 },
    ],
    rustles: [{ at: 0, from: 320, to: 160, length: 0.06, level: 0.5 }],
  },
  end: {
    knocks: [262, 330, 392, 523].map((pitch, note) => ({ at: note * 0.14, pitch, length: 0.9, level: 0.38 })),
  },
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
  const { knocks = [], rustles = [] } = SOUNDS[name];
  for (const knock of knocks) {
    strike(context, volume, knock);
    strike(context, volume, { ...knock, pitch: knock.pitch * 4, length: knock.length / 4, level: knock.level / 5 });
  }
  for (const rustle of rustles) slide(context, volume, rustle);
}

/** @param {AudioContext} context @param {AudioNode} output @param {Knock} knock */
function strike(context, output, { at, pitch, length, level }) {
  const sine = context.createOscillator();
  sine.frequency.value = pitch;
  const start = context.currentTime + at;
  sine.connect(envelope(context, output, { start, rise: 0.004, length, level }));
  sine.start(start);
  sine.stop(start + length);
}

/** @param {AudioContext} context @param {AudioNode} output @param {Rustle} rustle */
function slide(context, output, { at, from, to, length, level }) {
  const source = context.createBufferSource();
  source.buffer = noise ??= whiteNoise(context);
  const filter = context.createBiquadFilter();
  filter.type = "bandpass";
  filter.Q.value = 0.9;
  const start = context.currentTime + at;
  filter.frequency.setValueAtTime(from, start);
  filter.frequency.exponentialRampToValueAtTime(to, start + length);
  source.connect(filter).connect(envelope(context, output, { start, rise: length / 5, length, level }));
  source.start(start, Math.random() * 0.5, length);
}

/** @param {AudioContext} context @param {AudioNode} output @param {{ start: number, rise: number, length: number, level: number }} shape */
function envelope(context, output, { start, rise, length, level }) {
  const gain = context.createGain();
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
