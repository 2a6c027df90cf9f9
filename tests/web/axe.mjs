// axe-core over a page, with and without reduced motion, and with forced colours.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { complaints } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** How a browser may draw a page. */
const MODES = [
  { reducedMotion: "reduce", forcedColors: "none" },
  { reducedMotion: "no-preference", forcedColors: "none" },
  { reducedMotion: "reduce", forcedColors: "active" },
];

/** How often axe-core has looked. */
export let looked = 0;

/** Complains about what axe-core finds. */
export async function look(page, what) {
  // Trusted Types and the policy forbid scripts of other origin; the debugger may evaluate all the same.
  await page.evaluate(axe);
  for (const mode of MODES) {
    await page.emulateMedia(mode);
    // With forced colours the browser chooses the colours of texts, and axe-core reads those of the page.
    const rules = { "color-contrast": { enabled: mode.forcedColors === "none" } };
    const { violations } = await page.evaluate(async (rules) => {
      // Colours in the middle of a motion are nobody's choice. Motions begin when the page is drawn in the new mode.
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      await Promise.allSettled(document.getAnimations().map((motion) => motion.finished));
      return globalThis.axe.run(document, { resultTypes: ["violations"], rules });
    }, rules);
    looked += 1;
    const words = ({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`).join(" | ")}`;
    for (const violation of violations) complaints.push(`${what} (${Object.values(mode)}): ${words(violation)}`);
  }
  await page.emulateMedia(MODES[0]);
}
