// Which role uses which section of the desk.

import { session } from "../api/session.js";

const ALL = ["admin", "moderator", "auditor"];
const MODERATORS = ["admin", "moderator"];
const ADMINS = ["admin"];
const AUDITORS = ["auditor"];

/**
 * The roles that use each section, in the order of the navigation. The server decides what each may do.
 * @type {Record<string, string[]>}
 */
export const ROLES = {
  overview: ALL,
  reports: MODERATORS,
  accounts: MODERATORS,
  games: ALL,
  queues: MODERATORS,
  log: ALL,
  entries: AUDITORS,
  acts: ALL,
  accesses: ADMINS,
  nodes: ADMINS,
  backups: ADMINS,
  settings: ADMINS,
};

/** @param {string} section whether the role of this session uses it */
export const mayUse = (section) => ROLES[section]?.includes(session.account?.role ?? "") ?? false;

export const isAdmin = () => session.account?.role === "admin";
