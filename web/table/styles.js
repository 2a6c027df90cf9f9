// The style sheets of the table.

import { loadStyle } from "../styles.js";

await Promise.all([loadStyle("cards"), loadStyle("drawings"), loadStyle("table"), loadStyle("over_felt"), loadStyle("seats"), loadStyle("seat_forms")]);
await Promise.all([loadStyle("trick"), loadStyle("calls"), loadStyle("hint"), loadStyle("sheet"), loadStyle("podium")]);
