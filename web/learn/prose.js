// Text of the rules as elements.

import { html } from "../view.js";
import { blocks, pieces } from "./markup.js";
import { Word } from "./word.js";

/** A text with headings, lists and tables. @param {{ text: string }} properties */
export function Prose({ text }) {
  return blocks(text).map((block, index) => html`<${Block} key=${index} block=${block} />`);
}

/** Text of one line, with words to open. @param {{ text: string }} properties */
export function Line({ text }) {
  return pieces(text).map((piece) => {
    if (piece.kind === "word") return html`<${Word} word=${piece.word}>${piece.text}</${Word}>`;
    if (piece.kind === "link") return html`<${Link} to=${piece.to}><${Line} text=${piece.text} /></${Link}>`;
    if (piece.kind === "strong") return html`<strong><${Line} text=${piece.text} /></strong>`;
    if (piece.kind === "stressed") return html`<em>${piece.text}</em>`;
    return piece.kind === "code" ? html`<code>${piece.text}</code>` : piece.text;
  });
}

/** A page of the rule book names others by their files. @param {{ to: string, children?: unknown }} properties */
function Link({ to, children }) {
  const [, page] = /^([\w-]+)\.md/.exec(to) ?? [];
  return page ? html`<a href=${`/rules/${page}/book`}>${children}</a>` : children;
}

/** @param {{ block: import("./markup.js").Block }} properties */
function Block({ block }) {
  if (block.kind === "heading")
    return html`<${`h${block.level}`}><${Line} text=${block.text} /></${`h${block.level}`}>`;
  if (block.kind === "table") return html`<${Table} rows=${block.rows} />`;
  if (block.kind === "paragraph") return html`<p><${Line} text=${block.text} /></p>`;
  const items = block.items.map(
    (item) => html`<li><${Line} text=${item.text} />
      ${item.items.length > 0 ? html`<ul>${item.items.map((one) => html`<li><${Line} text=${one} /></li>`)}</ul>` : null}</li>`,
  );
  return block.first === null
    ? html`<ul class="told">${items}</ul>`
    : html`<ol class="told" start=${block.first}>${items}</ol>`;
}

/** @param {{ rows: string[][] }} properties */
function Table({ rows: [head = [], ...rows] }) {
  return html`<div class="told-table" tabindex="0" role="group" aria-label=${head.filter((cell) => cell !== "").join(", ")}>
    <table>
      <thead><tr>${head.map((cell) => (cell === "" ? html`<td></td>` : html`<th scope="col"><${Line} text=${cell} /></th>`))}</tr></thead>
      <tbody>${rows.map(
        ([name = "", ...cells]) => html`<tr>
        <th scope="row"><${Line} text=${name} /></th>
        ${cells.map((cell) => html`<td><${Line} text=${cell} /></td>`)}</tr>`,
      )}</tbody>
    </table>
  </div>`;
}
