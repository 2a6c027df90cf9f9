// The style sheets of the table.

import { loadStyle } from "../view.js";

await Promise.all([
  loadStyle("cards"),
  loadStyle("drawings"),
  loadStyle("table"),
  loadStyle("over_felt"),
  loadStyle("seats"),
  loadStyle("seat_forms"),
  loadStyle("trick"),
  loadStyle("calls"),
]);
