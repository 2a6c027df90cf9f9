// The style sheets of the table.

import { loadStyle } from "../styles.js";

await Promise.all([
  loadStyle("cards"),
  loadStyle("table"),
  loadStyle("over_felt"),
  loadStyle("seats"),
  loadStyle("seat_forms"),
  loadStyle("trick"),
]);
