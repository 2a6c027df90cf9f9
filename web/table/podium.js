// The end of a game.

import { records } from "../game/record.js";
import { namesOf, ownSeat } from "../game/seats.js";
import { awaitRematch, isAgainstBots, playAgain } from "../game/tables.js";
import { here } from "../here.js";
import { isolated, loadArea, number, signed, t } from "../i18n/index.js";
import { Refusal, useLoaded, useTask } from "../parts/requests.js";
import { Share } from "../parts/share.js";
import { html, useEffect, useState } from "../view.js";

await loadArea("score");

/** @param {{ game: Game, view: GameView }} properties */
export function Podium({ game, view }) {
  const task = useTask();
  const ranks = view.status === "finished" ? view.scores.ranks : null;
  const again = () =>
    task.run(async () => {
      const id = await playAgain(game, view);
      if (id) here.go(`/games/${id}`);
    });
  return html`<section class="panel podium">
    <h2>${ranks ? winnerWords(view, ranks) : t(`status.${view.status}`)}</h2>
    ${ranks && html`<${Standings} view=${view} ranks=${ranks} />`}
    ${ranks && view.you && html`<${OwnCalls} view=${view} />`}
    <${Recorded} id=${view.id} />
    ${view.you && !isAgainstBots(view) && html`<${Invitation} view=${view} />`}
    <${Refusal} error=${task.error} />
    <div class="row">
      ${
        view.you &&
        html`<button class="primary" data-again disabled=${task.busy} onClick=${again}>
        ${t(isAgainstBots(view) ? "podium.again" : "over.rematch")}</button>`
      }
      <a class="button quiet" href=${`/games/${view.id}/replay`}>${t("podium.replay")}</a>
      <a class="button quiet" href=${`/games/${view.id}/scores`}>${t("table.scores")}</a>
      <${Share} path=${`/games/${view.id}/replay`} label=${t("over.share")} />
    </div>
  </section>`;
}

/** Who waits at the table of the rematch. @param {{ view: GameView }} properties */
function Invitation({ view }) {
  const [host, setHost] = useState("");
  useEffect(() => {
    const leaving = new AbortController();
    awaitRematch(view, leaving.signal, setHost);
    return () => leaving.abort();
  }, [view.id]);
  return html`<p role="status" class="invitation">${host ? t("podium.invited", { who: isolated(host) }) : ""}</p>`;
}

/** @param {GameView} view @param {readonly number[]} ranks */
function winnerWords(view, ranks) {
  const winners = namesOf(view).filter((_, seat) => ranks[seat] === 1);
  if (winners.length > 1) return t("podium.shared", { who: winners.join(t("shell.comma")) });
  return ranks[ownSeat(view) ?? -1] === 1 ? t("podium.youWon") : t("podium.won", { who: winners[0] ?? "" });
}

/** The first three on steps, for eyes, and the totals of all. @param {{ view: GameView, ranks: readonly number[] }} properties */
function Standings({ view, ranks }) {
  const own = ownSeat(view);
  const players = ranks.map((rank, seat) => ({
    rank,
    seat,
    name: seat === own ? t("felt.you") : view.seats[seat]?.player?.name,
    kind: seat === own ? "own" : "",
  }));
  const order = players.toSorted((one, other) => one.rank - other.rank);
  return html`<ol class="steps" aria-hidden="true">
      ${order.slice(0, 3).map(
        ({ rank, seat, name, kind }) => html`<li key=${seat} data-rank=${rank} class=${kind}>
        <bdi>${name}</bdi>
        <span class="step">${number(rank)}</span>
      </li>`,
      )}
    </ol>
    <table class="standings">
      <thead><tr>${["over.rank", "sheet.player", "table.total"].map((key) => html`<th key=${key} scope="col">${t(key)}</th>`)}</tr></thead>
      <tbody>
        ${order.map(
          ({ rank, seat, name, kind }) => html`<tr key=${seat} class=${kind}>
          <td>${number(rank)}</td>
          <td><bdi>${name}</bdi></td>
          <td>${number(view.scores.totals[seat] ?? 0)}</td>
        </tr>`,
        )}
      </tbody>
    </table>`;
}

/** The player's best call and the worst one. @param {{ view: GameView }} properties */
function OwnCalls({ view }) {
  const sheet = useLoaded("/v1/games/{id}/scores", { path: { id: view.id } }).data;
  // They have their room until they are loaded.
  const room = view.scores.rounds.length > 1 ? { best: null, worst: null } : null;
  const calls = sheet ? ownCalls(sheet, ownSeat(view) ?? 0) : room;
  return (
    calls &&
    html`<dl class="own-calls">
    ${Object.entries(calls).map(
      ([name, call]) => html`<div key=${name}>
      <dt>${t(`podium.${name}`)}</dt>
      <dd>${call ? html`${t("podium.call", call)} <strong>${signed(call.points)}</strong>` : "\u00a0"}</dd>
    </div>`,
    )}
  </dl>`
  );
}

/**
 * The rounds in which a seat's call brought most and least, if there are two.
 * @param {Schemas["ScoreSheet"]} sheet
 * @param {number} seat
 */
export function ownCalls({ rounds }, seat) {
  const calls = rounds.flatMap(({ round, seats }) => {
    const cell = seats[seat];
    return cell?.call ? [{ round, call: cell.call.tricks, tricks: cell.tricks, points: cell.points }] : [];
  });
  const [best, ...rest] = calls.toSorted((one, other) => other.points - one.points);
  const worst = rest.at(-1);
  return best && worst ? { best, worst } : null;
}

/**
 * One line that says whether the game was dealt and recorded as promised, with the page behind it.
 * @param {{ id: string }} properties
 */
function Recorded({ id }) {
  const [state, setState] = useState(/** @type {"waits" | "sound" | "broken" | "unknown"} */ ("waits"));
  useEffect(() => {
    const leaving = new AbortController();
    const look = async () => {
      /** @type {typeof state} */
      let found = "unknown";
      for await (const { isLogged, verdict } of records(id, leaving.signal)) {
        if (isLogged) found = verdict === "unchecked" ? "unknown" : verdict === "sound" ? "sound" : "broken";
      }
      if (!leaving.signal.aborted) setState(found);
    };
    look().catch(() => leaving.signal.aborted || setState("unknown"));
    return () => leaving.abort();
  }, [id]);
  return html`<p role="status" data-recorded=${state}><a href=${`/games/${id}/replay`}>${t(`over.recorded.${state}`)}</a></p>`;
}
