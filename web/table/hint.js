// A hint: what the bot that would stand in for the player would do now.

import { api } from "../api/client.js";
import { cardName } from "../game/cards.js";
import { loadArea, t } from "../i18n/index.js";
import { Refusal, useTask } from "../parts/requests.js";
import { html, useEffect, useRef, useState } from "../view.js";

await loadArea("table");

/** What a bot would do, as a sentence. @param {Command} command */
export function hintWords({ type, tricks = 0, trump, card, position = 0, seat = 0 }) {
  const names = { trump: trump ? t(`trump.${trump}`) : "", card: card ? cardName(card) : "" };
  return t(`hint.${type}${type === "estimate" && trump ? "_trump" : ""}`, {
    ...names,
    tricks,
    position,
    seat: seat + 1,
  });
}

/** The controls that post a command, wherever they are and whenever they come. @param {Command} command */
export const markOf = (command) => `[data-command=${JSON.stringify(JSON.stringify(command))}]`;

/** Whether hints are for the viewer of a game, now. @param {Schemas["GameView"]} view */
export function canHint({ status, seats, legal }) {
  const people = seats.filter(({ player }) => player?.kind === "human");
  return status === "playing" && people.length === 1 && legal.some(({ type }) => type !== "resume");
}

/**
 * Takes a hint, says it and marks its card or call. Before the first one it says that the game then counts in no statistics.
 * @param {{ game: Game, advice: import("./why.js").Advice }} properties
 */
export function HintButton({ game, advice }) {
  /** @type {Ref<HTMLDialogElement>} */
  const dialog = useRef(null);
  const [hint, setHint] = useState(/** @type {Schemas["Hint"] | null} */ (null));
  const task = useTask();
  const { view } = game;
  useMark(hint !== null && hint.version === view?.version ? hint.command : null);
  if (!view || !canHint(view)) return null;
  const close = () => dialog.current?.close();
  const take = () =>
    task.run(async () => {
      close();
      const taken = await api("POST", "/v1/games/{id}/hint", { path: { id: game.id } });
      setHint(taken);
      advice.say(hintWords(taken.command), taken.version);
    });
  const press = () => (view.scores.hinted ? take() : dialog.current?.showModal());
  return html`<button class="plain hint" disabled=${task.busy} onClick=${press}>${t("hint.button")}</button>
    <${Refusal} error=${task.error} />
    <dialog ref=${dialog} aria-label=${t("hint.title")}>
      <p>${t("hint.about")}</p>
      <div class="row">
        <button onClick=${take}>${t("hint.take")}</button>
        <button class="quiet" onClick=${close}>${t("hint.stay")}</button>
      </div>
    </dialog>`;
}

/** Draws a ring around the controls that post a command. @param {Command | null} command */
function useMark(command) {
  const rule = command && `${markOf(command)} { outline: 3px solid var(--gold); outline-offset: 2px; }`;
  useEffect(() => {
    if (!rule) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rule);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => void (document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet));
  }, [rule]);
}
