// What the player is told of while the app is closed: the panel of the account page, and the offer at a table with long turns.

import { api } from "../api/client.js";
import { loadArea, t } from "../i18n/index.js";
import { settings } from "../settings.js";
import { canPush, KINDS, subscribe, unsubscribe } from "../signals/push.js";
import { html, useEffect, useRef, useSource, useState, valued } from "../view.js";
import { Check } from "./fields.js";
import { Refusal, useLoaded, useTask } from "./requests.js";

await loadArea("told");

/** @typedef {Schemas["NotificationSettings"]} Chosen */

const PATH = "/v1/me/notifications";

/** The hours that are proposed to those who want some. */
const NIGHT = { from: "22:00", to: "08:00" };

const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What the server sends to this player, and when. */
export function Told() {
  const { data, error, reload } = useLoaded(PATH);
  const task = useTask();
  const [changed, setChanged] = useState(/** @type {Chosen | null} */ (null));
  /** @type {Ref<Pick<Chosen, "muted" | "quiet_hours">>} */
  const wish = useRef(null);
  const chosen = changed ?? data;
  const choose = (/** @type {Partial<Chosen>} */ change) => {
    if (!chosen) return;
    const { muted, quiet_hours } = { ...chosen, ...change };
    setChanged({ ...chosen, muted, quiet_hours });
    wish.current = { muted, quiet_hours };
    void task.run(send);
  };
  // What is chosen while a request is on its way is sent next, and the answer to the former one is not shown.
  const send = async () => {
    while (wish.current) {
      const body = wish.current;
      try {
        const next = await api("PUT", PATH, { body });
        if (wish.current !== body) continue;
        wish.current = null;
        setChanged(next);
      } catch (problem) {
        if (wish.current !== body) continue;
        wish.current = null;
        throw problem;
      }
    }
  };
  const mute = (/** @type {Schemas["NoticeKind"]} */ kind, /** @type {boolean} */ wanted) => {
    const others = chosen?.muted.filter((one) => one !== kind) ?? [];
    choose({ muted: wanted ? others : [...others, kind] });
  };
  const push = (/** @type {boolean} */ wanted) =>
    task.run(async () => {
      if (wanted && !(await subscribe(chosen?.push_key ?? ""))) throw new Error(t("told.refused"));
      if (!wanted) await unsubscribe();
      await send();
      setChanged(null);
      reload();
    });
  if (!chosen) return html`<section class="panel"><h2>${t("told.title")}</h2><${Refusal} error=${error} /></section>`;
  const { quiet_hours: hours, push_key: key, subscribed } = chosen;
  return html`<section class="panel told">
    <h2>${t("told.title")}</h2>
    <p>${t(key ? "told.about" : "told.never")}</p>
    ${
      key &&
      html`<${Check} name="told-push" label=${t("told.push")} about=${t(canPush() ? "told.pushAbout" : "told.pushNever")}
      checked=${subscribed} disabled=${!canPush() || task.busy} onChange=${push} />`
    }
    ${KINDS.map(
      (kind) => html`<${Check} key=${kind} name=${`told-${kind}`} label=${t(`told.${kind}`)}
      checked=${!chosen.muted.includes(kind)} onChange=${(/** @type {boolean} */ wanted) => mute(kind, wanted)} />`,
    )}
    <${Check} name="told-quiet" label=${t("told.quiet")}
      about=${hours ? t("told.zone", { zone: hours.time_zone }) : null} checked=${Boolean(hours)}
      onChange=${(/** @type {boolean} */ wanted) => choose({ quiet_hours: wanted ? { ...NIGHT, time_zone: zone() } : null })} />
    ${
      hours &&
      html`<div class="row"><${Hour} name="from" hours=${hours} choose=${choose} /><${Hour} name="to"
      hours=${hours} choose=${choose} /></div>`
    }
    <${Refusal} error=${task.error} />
  </section>`;
}

/** @param {{ name: "from" | "to", hours: Schemas["QuietHours"], choose: (change: Partial<Chosen>) => void }} properties */
function Hour({ name, hours, choose }) {
  const change = valued((value) => {
    if (value) choose({ quiet_hours: { ...hours, [name]: value, time_zone: zone() } });
  });
  return html`<label><span>${t(`told.${name}`)}</span><input type="time" name=${`told-${name}`} value=${hours[name]}
    onChange=${change} /></label>`;
}

/** Offers pushes at a table whose turns are long. Who has refused is not asked again. */
export function PushOffer() {
  useSource(settings);
  const wish = settings.get("push");
  const { data } = useLoaded(wish === "off" || !canPush() ? null : PATH);
  const task = useTask();
  const { push_key: key = null, subscribed = false } = data ?? {};
  const isOn = wish === "on" && Notification.permission === "granted";
  // A new session of this browser has no subscription yet.
  useEffect(() => {
    if (key && isOn && !subscribed) void subscribe(key).catch(() => {});
  }, [key, isOn, subscribed]);
  if (!key || isOn || subscribed || Notification.permission === "denied") return null;
  const accept = () =>
    task.run(async () => {
      if (!(await subscribe(key))) settings.set("push", "off");
    });
  return html`<div class="notice" role="status">
    <p>${t("told.offer")}</p>
    <${Refusal} error=${task.error} />
    <div class="row">
      <button disabled=${task.busy} onClick=${accept}>${t("told.accept")}</button>
      <button class="quiet" onClick=${() => settings.set("push", "off")}>${t("told.decline")}</button>
    </div>
  </div>`;
}
