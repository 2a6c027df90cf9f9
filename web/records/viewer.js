// A verified history, step by step, beside what was verified.

import { isolated, number, t, time } from "../i18n/index.js";
import { cardName } from "../game/cards.js";
import { Select } from "../parts/fields.js";
import { html, useEffect, useMemo, useState, valued } from "../view.js";
import { Board, trumpName } from "./board.js";
import { Checks } from "./checks.js";
import { roundsOf, statesOf } from "./state.js";

/** @typedef {import("./state.js").Table} Table */

/** Events each second. */
const SPEEDS = [0.5, 1, 2, 5, 20];

/** What the name of a player is known by. @param {import("./state.js").Sitter} player */
const keyOf = ({ account, place }) => account ?? `bot ${place}`;

/** The names of the players, as far as known. @param {Table} table @param {Record<string, string>} known by `keyOf` */
function namesOf(table, known) {
  return table.players.map((player, seat) => {
    if (player === null) return t("table.free");
    return known[keyOf(player)] ?? t(player.account ? "replay.seat" : "replay.bot", { seat });
  });
}

/** An event in words. @param {any} event @param {Table} before @param {Table} after @param {Record<string, string>} known */
function wordsOf(event, before, after, known) {
  if (typeof event?.type !== "string") return t("replay.unreadable");
  // The last choice of a seat changes who sits where.
  const names = namesOf(event.type === "seat_chosen" ? before : after, known).map(isolated);
  const hasTrump = (event.type === "bid_made" || event.type === "estimate_made") && event.trump;
  const key = `log.${event.type}${hasTrump ? "_trump" : ""}`;
  // The table has no words for some events.
  return t(t(key) === key ? `event.${event.type}` : key, {
    ...event,
    who: names[event.place ?? event.seat ?? 0] ?? "",
    card: event.type === "card_played" ? cardName(String(event.card)) : "",
    trump: event.trump ? trumpName(event.trump) : "",
    round: after.round,
    points: after.points?.map((points, seat) => `${names[seat]} ${number(points)}`).join(t("shell.comma")) ?? "",
  });
}

/**
 * `known` are the names of accounts, and `bots` those of bots by seat.
 * @param {{ game: GameReport, known?: Record<string, string>, bots?: (string | null)[] }} properties
 */
export function Viewer({ game, known: accounts = {}, bots = [] }) {
  const { events } = game;
  const [states, rounds] = useMemo(() => [statesOf(events), roundsOf(events)], [game]);
  const seated = states.at(-1)?.players ?? [];
  const known = Object.assign(
    {},
    accounts,
    ...seated.map((player, seat) => player && bots[seat] && { [keyOf(player)]: bots[seat] }),
  );
  // The number of events that have happened.
  const [at, setAt] = useState(rounds[0]?.at ?? events.length);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(2);
  const last = events.length;
  const move = (/** @type {(now: number) => number} */ to) => setAt((now) => Math.min(Math.max(to(now), 1), last));
  useEffect(() => {
    const timer = isPlaying && setTimeout(() => (at < last ? move((now) => now + 1) : setPlaying(false)), 1000 / speed);
    return () => clearTimeout(timer || undefined);
  }, [isPlaying, at, speed]);
  const play = () => {
    if (at === last) move(() => 1);
    setPlaying(!isPlaying);
  };
  const starts = rounds.map(
    ({ round, at: start }) => /** @type {const} */ ([start, t("scores.roundNumber", { round })]),
  );
  if (at < (rounds[0]?.at ?? 1)) starts.unshift([1, t("status.lobby")]);
  /** @type {Record<string, (now: number) => number>} */
  const steps = { first: () => 1, back: (now) => now - 1, forward: (now) => now + 1, last: () => last };
  useEffect(() => {
    // In Arabic, time runs from right to left, as on the slider.
    const [right, left] = document.documentElement.dir === "rtl" ? ["back", "forward"] : ["forward", "back"];
    /** @type {Record<string, string>} */
    const keys = { ArrowRight: right, ArrowLeft: left, Home: "first", End: "last" };
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      const on = /** @type {HTMLElement} */ (event.target);
      const step = steps[keys[event.key] ?? ""];
      const isOther = event.altKey || event.ctrlKey || event.metaKey || on.closest("input, select, textarea");
      if (isOther || (!step && (event.key !== " " || on.closest("button, a")))) return;
      event.preventDefault();
      if (step) move(step);
      else play();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
  const [table, event] = [/** @type {Table} */ (states[at]), events[at - 1]];
  if (!table || !event) return html`<${Checks} game=${game} onSelect=${() => {}} />`;
  const words = wordsOf(event.event, states[at - 1] ?? table, table, known);
  const position = t("replay.event", { seq: event.seq, last: events.at(-1)?.seq ?? last });
  const by = event.actor?.by ? ` · ${t(`replay.by.${event.actor.by}`)}` : "";
  const step = (/** @type {string} */ name, /** @type {string} */ sign) =>
    html`<button class="quiet" aria-label=${t(`replay.${name}`)} onClick=${() => move(/** @type {any} */ (steps[name]))}>
      <span aria-hidden="true">${sign}</span></button>`;
  return html`<div class="viewer">
    <section aria-label=${t("replay.title")}>
      <div class="panel controls">
        <p class="now" role="status" aria-live=${isPlaying ? "off" : "polite"}>${words}</p>
        <input type="range" min="1" max=${last} value=${at} aria-label=${t("replay.slider")} aria-valuetext=${`${position}: ${words}`}
          onInput=${valued((value) => move(() => Number(value)))} />
        <div class="row">
          ${step("first", "«")} ${step("back", "‹")}
          <button onClick=${play}>${t(isPlaying ? "replay.pause" : "replay.play")}</button>
          ${step("forward", "›")} ${step("last", "»")}
          <${Select} aria-label=${t("replay.speed")} value=${speed} onChange=${setSpeed}
            choices=${SPEEDS.map((one) => [one, t("replay.perSecond", { speed: one })])} />
          ${
            rounds.length > 0
              ? html`<${Select} aria-label=${t("scores.round")} value=${starts.findLast(([start]) => start <= at)?.[0]}
            choices=${starts} onChange=${(/** @type {number} */ start) => move(() => start)} />`
              : null
          }
        </div>
        <small>${position} · ${time(event.at)}${by}</small>
      </div>
      <${Board} table=${table} names=${namesOf(table, known)} />
    </section>
    <${Checks} game=${game} onSelect=${(/** @type {number} */ seq) => {
      setPlaying(false);
      move(() => events.findIndex((one) => one.seq >= seq) + 1 || last);
    }} />
  </div>`;
}
