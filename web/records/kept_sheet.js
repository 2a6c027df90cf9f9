// The sheet of the calculator, kept in the browser and shared by its tabs.

import { store, stored } from "../game/stored.js";
import { Source } from "../source.js";

const KEY = "estimation.calculator";

/** @typedef {{ row: Schemas["SheetRow"], revokes: Schemas["RevokePenalty"][], carry: number }} KeptRound */
/** @typedef {{ ruleset: string, options: Record<string, string>, names: string[], rounds: KeptRound[] }} Sheet */

const isText = (/** @type {unknown} */ value) => typeof value === "string";
const areNumbers = (/** @type {unknown[]} */ ...values) => values.every(Number.isInteger);

/** Another version of the app may have stored something else. @param {Record<string, any>} sheet @returns {sheet is Sheet} */
function isSheet(sheet) {
  const { ruleset, options, names, rounds } = /** @type {Sheet} */ (sheet);
  return (
    [ruleset, ...Object.values(options), ...names].every(isText) &&
    names.length >= 2 &&
    names.length <= 5 &&
    rounds.every(
      ({ row, revokes, carry }, at) =>
        areNumbers(row.multiplier, carry) &&
        row.round === at + 1 &&
        row.seats.length === names.length &&
        revokes.every(({ seat, points }) => areNumbers(seat, points)) &&
        row.seats.every(
          ({ call, lines, tricks, points, total }) =>
            areNumbers(tricks, points, total) &&
            lines.every(({ reason }) => isText(reason)) &&
            (call === null || (isText(call.kind) && areNumbers(call.tricks))),
        ),
    )
  );
}

/** @returns {Sheet} */
function read() {
  const sheet = stored(KEY);
  try {
    if (isSheet(sheet)) return sheet;
  } catch {
    // As without a sheet.
  }
  return { ruleset: "squares", options: {}, names: ["", "", "", ""], rounds: [] };
}

class KeptSheet extends Source {
  sheet = read();

  constructor() {
    super();
    addEventListener("storage", () => {
      this.sheet = read();
      this.changed();
    });
  }

  /** Changes the sheet as it is now: another tab may just have changed it. @param {(sheet: Sheet) => Partial<Sheet>} change */
  update(change) {
    const now = read();
    this.sheet = { ...now, ...change(now) };
    // Without storage the sheet lives as long as the page.
    store(KEY, this.sheet);
    this.changed();
  }
}

export const kept = new KeptSheet();
