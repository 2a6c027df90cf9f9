// Where everything lies on the felt, in CSS pixels. The felt is the page, so that all follows from its size and the number of seats.

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ width: number, height: number }} Size */
/** @typedef {Point & Size} Box */
/** @typedef {"tall" | "short" | "wide"} Form phones in portrait, in landscape, and everything larger */
/** @typedef {ReturnType<typeof placesOf>} Places */

/**
 * `rem` is the size of the page's text, `slots` the cards of the largest hand, and `isSeated` says whether there is a hand.
 * @typedef {Size & { rem: number, players: number, slots: number, isSeated: boolean }} Felt
 */

const RATIO = 1.4;
const MARGIN = 6;

/** What is left of a card when the next one covers it. */
const UNCOVERED = 25;
const UNCOVERED_ROW = 46;

/** The narrowest card of a hand in one row. */
const NARROWEST = 60;

/**
 * By form: the angle of the outermost cards in degrees, the width of a card in the trick by that in the hand, its greatest height by
 * that of the felt, how far it lies from the middle by its own size, and how much more to the side than its seat: on a tall felt all
 * others sit above.
 */
const FORMS = {
  tall: { tilt: 4, thrown: 1.4, highest: 0.46, aside: 1.15, ahead: 0.54, stretch: 2 },
  short: { tilt: 5, thrown: 0.78, highest: 0.58, aside: 0.92, ahead: 0.22, stretch: 1 },
  wide: { tilt: 7, thrown: 0.94, highest: 0.44, aside: 1.06, ahead: 0.52, stretch: 1 },
};

/** @param {number} degrees */
const sine = (degrees) => Math.sin((degrees * Math.PI) / 180);

/** @param {number} value @param {number} least @param {number} most */
const within = (value, least, most) => Math.max(least, Math.min(most, value));

/** The cards of the hand. @param {Felt} felt @param {Form} form @param {number} space the width for the hand */
function cardOf({ width, height, slots }, form, space) {
  const { tilt } = FORMS[form];
  const wanted = {
    tall: Math.min(84, height * 0.14),
    short: height * 0.205,
    wide: Math.min(width * 0.082, height * 0.135),
  }[form];
  // The card, the uncovered edges of the others, and what the outermost ones reach out.
  const fits = (space - UNCOVERED * (slots - 1)) / (1 + 2 * RATIO * sine(tilt));
  if (fits >= Math.min(NARROWEST, wanted)) return { card: Math.floor(Math.min(wanted, fits)), isStacked: false, tilt };
  return { card: Math.floor(within(width * 0.175, 44, 64)), isStacked: true, tilt: 0 };
}

/**
 * The height of a fan below its highest card.
 * @param {number} span between the outermost cards
 * @param {number} tilt
 * @param {number} card
 */
function sag(span, tilt, card) {
  const radius = span / 2 / sine(tilt);
  return radius * (1 - Math.cos((tilt * Math.PI) / 180)) + (card / 2) * sine(tilt);
}

/** The distance of two cards of a fan. @param {number} width @param {number} card @param {number} count @param {number} tilt */
function stepOf(width, card, count, tilt) {
  if (count < 2) return 0;
  return Math.min(card * 0.62, (width - card - 2 * card * RATIO * sine(tilt)) / (count - 1));
}

/** The widths and heights of the seats. @param {Felt} felt @param {Form} form */
function seatSizes({ width, rem, players }, form) {
  if (form === "wide")
    return { own: { width: 10 * rem, height: 9 * rem }, other: { width: 10 * rem, height: 9.5 * rem } };
  if (form === "short") {
    const space = (width - MARGIN * players) / (players - 1);
    return {
      own: { width: 10.5 * rem, height: 3.4 * rem },
      other: { width: Math.min(11.5 * rem, space), height: 3.1 * rem },
    };
  }
  const row = players > 3 ? 3 : 2;
  const other = { width: Math.min(8 * rem, (width - MARGIN * (row + 1)) / row), height: 6.9 * rem };
  return { own: { width: Math.min(12.5 * rem, width * 0.52), height: 3.1 * rem }, other };
}

/**
 * The other seats, from left to right: one at the top, two at the sides, or both.
 * @param {Felt} felt @param {Form} form @param {number} bar @param {number} floor where the felt ends @param {Size} size
 * @returns {Box[]}
 */
function around({ width, rem, players, slots }, form, bar, floor, size) {
  const top = bar + (form === "wide" ? 8 : 4);
  const [left, right] = [MARGIN, width - MARGIN - size.width];
  // The calls of the longest auction stay below the seats.
  const calls = (slots > 10 ? 15.5 : 9.5) * rem;
  const room = {
    tall: Math.min(size.height + 12, floor - calls - size.height - top),
    short: width < 1000 ? 0 : 2.5 * rem,
    wide: (floor - bar) * 0.34,
  }[form];
  const at = (/** @type {number} */ x, /** @type {number} */ y) => ({ ...size, x, y });
  if (players === 2) return [at((width - size.width) / 2, top)];
  const isRow = form === "short" ? room === 0 : room < (players === 5 ? size.height : 0);
  const low = top + Math.max(0, isRow ? 0 : room);
  if (players === 3) return [at(left, low), at(right, low)];
  if (players === 4) return [at(left, low), at((width - size.width) / 2, top), at(right, low)];
  if (isRow) {
    const narrow = { ...size, width: Math.min(size.width, (width - 5 * MARGIN) / 4) };
    return [0, 1, 2, 3].map((seat) => ({
      ...narrow,
      x: MARGIN + (seat * (width - 2 * MARGIN - narrow.width)) / 3,
      y: top,
    }));
  }
  const inner = form === "tall" ? 0.27 : 0.33;
  const upper = Math.max(width * inner, form === "short" ? 1.5 * size.width + 2 * MARGIN : 0) - size.width / 2;
  return [at(left, low), at(upper, top), at(width - upper - size.width, top), at(right, low)];
}

/** @param {Felt & { top?: number }} page `top`: the room between the bar and the felt */
export function placesOf({ top = 0, ...page }) {
  const { width, rem, slots, isSeated } = page;
  const over = Math.max(44, 2.75 * rem);
  // Either the bar lies over the felt, or the felt begins below it.
  const [start, bar] = top > 0 ? [over + top, 0] : [0, over];
  const felt = { ...page, height: page.height - start };
  const { height } = felt;
  /** @type {Form} */
  const form = page.height < 500 && width > page.height ? "short" : width < 700 ? "tall" : "wide";
  const sizes = seatSizes(felt, form);
  // In portrait the own seat is above the hand, otherwise to its left.
  const beside = form === "tall" ? 0 : sizes.own.width + MARGIN;
  const space = width - beside - 2 * MARGIN;
  const { card, isStacked, tilt } = cardOf(felt, form, space);
  const step = stepOf(space, card, slots, tilt);
  const handWidth = isStacked ? space : Math.min(space, card + step * (slots - 1) + 2 * card * RATIO * sine(tilt));
  const depth = isStacked ? UNCOVERED_ROW + card * RATIO : card * RATIO + sag(step * (slots - 1), tilt, card);
  const handHeight = isSeated ? Math.ceil(depth) + MARGIN : 0;
  const hand = {
    x: Math.max((width - handWidth) / 2, beside + MARGIN),
    y: height - handHeight,
    width: handWidth,
    height: handHeight,
  };
  const ownY = form === "tall" ? hand.y - sizes.own.height - MARGIN : height - sizes.own.height - MARGIN;
  const ownX = { tall: MARGIN, short: MARGIN, wide: Math.max(MARGIN, hand.x - sizes.own.width - MARGIN) }[form];
  const own = { ...sizes.own, x: isSeated ? ownX : (width - sizes.own.width) / 2, y: ownY };
  const floor = (isSeated && form !== "tall" ? hand.y : own.y) - MARGIN;
  const others = around(felt, form, bar, floor, sizes.other);
  const tops = others.filter(({ x, width: wide }) => x + wide > width * 0.3 && x < width * 0.7);
  const ceiling = Math.max(bar, ...tops.map((seat) => seat.y + seat.height)) + MARGIN;
  const { thrown, highest } = FORMS[form];
  const isBetween = form === "short" && others.length > 1 && others[0]?.y !== others[1]?.y;
  const isCramped = form === "wide" && isSeated && own.y < floor;
  const edge = isBetween ? sizes.other.width + MARGIN : isCramped ? own.x + own.width : 0;
  const panelWidth = Math.min(width - 2 * (edge + MARGIN), 42 * rem);
  return {
    form,
    hand,
    card,
    isStacked,
    tilt,
    own,
    /** From left to right. */
    others,
    /** Where the felt begins. */
    top: start,
    centre: { x: width / 2, y: (ceiling + floor) / 2 },
    /** The width of a card in the trick. */
    thrown: Math.floor(Math.min(card * thrown, ((floor - ceiling) / RATIO) * highest)),
    /** Where calls lie; they end at its lower edge. */
    panel: { x: (width - panelWidth) / 2, y: bar, width: panelWidth, height: floor - bar },
  };
}

/**
 * The cards of the hand: the left upper corner of each in the hand's box, and its angle.
 * @param {Places} places
 * @param {number} count
 */
export function fanOf({ hand, card, isStacked, tilt }, count) {
  const indexes = [...Array(count).keys()];
  if (isStacked) {
    const upper = Math.ceil(count / 2);
    return indexes.map((index) => {
      const isUpper = index < upper;
      const cards = isUpper ? upper : count - upper;
      const step = cards < 2 ? 0 : Math.min(card * 1.04, (hand.width - card) / (cards - 1));
      const start = (hand.width - card - step * (cards - 1)) / 2;
      return { x: start + step * (isUpper ? index : index - upper), y: isUpper ? 0 : UNCOVERED_ROW, angle: 0 };
    });
  }
  const step = stepOf(hand.width, card, Math.max(count, 7), tilt);
  const widest = stepOf(hand.width, card, 13, tilt) * 6 || 1;
  const radius = widest / sine(tilt);
  return indexes.map((index) => {
    const away = (index - (count - 1) / 2) * step;
    const angle = (Math.asin(within(away / radius, -1, 1)) * 180) / Math.PI;
    return { x: hand.width / 2 + away - card / 2, y: radius - Math.sqrt(radius ** 2 - away ** 2), angle };
  });
}

/** Where a seat's card lies, from the middle of the trick. @param {Places} places @param {Point} seat the middle of the seat */
export function restOf({ form, centre, thrown }, seat) {
  const { aside, ahead, stretch } = FORMS[form];
  const [x, y] = [(seat.x - centre.x) * stretch, seat.y - centre.y];
  const far = Math.hypot(x, y) || 1;
  return { x: (x / far) * thrown * aside, y: (y / far) * thrown * RATIO * ahead };
}

/** The angle at which a card lies, the same for the same card: 3 to 6 degrees to one of the sides. @param {string} card */
export function leanOf(card) {
  const sum = [...card].reduce((total, letter) => total * 31 + letter.charCodeAt(0), 7);
  return (3 + (sum % 31) / 10) * (sum % 2 === 0 ? 1 : -1);
}

/** @param {Box} box @returns {Point} */
export const middleOf = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });

/** The style of what begins at a point. @param {Point} point */
export const pointStyle = ({ x, y }) => ({ insetInlineStart: `${x}px`, insetBlockStart: `${y}px` });

/** The style of what fills a box. @param {Box} box */
export const boxStyle = (box) => ({ ...pointStyle(box), inlineSize: `${box.width}px`, blockSize: `${box.height}px` });
