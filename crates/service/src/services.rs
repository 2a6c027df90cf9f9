//! The application of one node: its services, built once.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::accounts::changes::ChangeLog;
use super::accounts::{Accounts, UsedByAccounts};
use super::desk::{Desk, SettingView, UsedByDesk};
use super::endings::{Endings, UsedByEndings};
use super::games::bot_delay::BotDelay;
use super::games::due_games::DueGames;
use super::games::hub::announcements::Announcements;
use super::games::{GameSettings, Games, UsedServices};
use super::histories::Records;
use super::identities::{Identities, IdentitySettings, UsedByIdentities};
use super::mail::{Mail, MailSettings, UsedByMail};
use super::matchmaking::Matchmaking;
use super::moderation::{Moderation, UsedByModeration};
use super::nodes::{Claims, Nodes};
use super::notifications::{Destinations, Notifications, UsedByNotifications};
use super::people::{People, UsedByPeople};
use super::players::Players;
use super::public_log::{LogSettings, PublicLog, Witness};
use super::readiness::Readiness;
use super::talk::Talk;
use super::timers::Timers;
use super::watch::{HEARTBEAT, Streams};
use crate::accounts::roles::Roles;
use crate::auth::active_keys::ActiveKeys;
use crate::auth::hashing::PasswordHasher;
use crate::auth::key_source::{KeySource, KeyVersion};
use crate::auth::keys::KeyRing;
use crate::auth::passwords::Cost;
use crate::auth::recent_calls::RecentCalls;
use crate::auth::sessions::{SessionSettings, Sessions};
use crate::auth::throttle::{Limits, Throttle};
use crate::base::clock::{Clock, SystemClock};
use crate::base::clock_watch::{CLOCK_SKEW, NodeClock};
use crate::base::closing::Closing;
use crate::base::entropy::{Entropy, SystemEntropy};
use crate::base::handles::Handles;
use crate::base::metrics::Metrics;
use crate::base::names::{ForbiddenWords, Names};
use crate::base::outages::Outages;
use crate::base::pacing::Pacer;
use crate::base::request_ids::RequestIds;
use crate::games::hub::presence::Presence;
use crate::games::idempotency::IDEMPOTENCY_RETENTION;
use crate::games::skipped_games::SkippedGames;
use crate::games::turn_watch::TurnWatch;
use crate::monitoring::Monitoring;
use crate::outbound::{AllowedNetworks, Outbound};
use estimation_store::Database;

/// The default number of seconds in which players open their client seeds.
pub const OPENING_SECONDS: u32 = 15;

/// How often expired data is deleted by default.
pub const SWEEP_EVERY: Duration = Duration::from_mins(10);

/// The default limit of lobby tables per host.
pub const TABLES_PER_HOST: u32 = 20;

pub struct AppSettings {
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
    /// Also records the store's work, if the database was opened with the same handle.
    pub metrics: Arc<Metrics>,
    pub limits: Limits,
    pub sessions: SessionSettings,
    pub password_cost: Cost,
    /// The source of the keys and the version read at start; `None` to never reload keys.
    pub watched_keys: Option<(KeySource, KeyVersion)>,
    /// The most lobby tables per host; `None` for no limit.
    pub tables_per_host: Option<u32>,
    /// The seconds in which players open their client seeds before a start, at new tables.
    pub opening_seconds: u32,
    /// How long the turns of bots and stand-ins take; `None` to act at once.
    pub bot_delay: Option<BotDelay>,
    /// The most the clock may be off or jump; `None` to always trust it.
    pub clock_skew: Option<Duration>,
    /// The interval of heartbeats on idle streams.
    pub heartbeat: Duration,
    /// How long after its end a game is packed; `None` for never.
    pub pack_after: Option<Duration>,
    pub log: LogSettings,
    /// Where notices to players go.
    pub destinations: Destinations,
    /// The issuers whose identities sign in.
    pub identities: IdentitySettings,
    /// How mail is sent; `None` to send none.
    pub mail: Option<MailSettings>,
    /// Words that display names must not have.
    pub forbidden_words: ForbiddenWords,
    /// The networks that requests of the server may reach beside public addresses.
    pub outbound_networks: AllowedNetworks,
    /// Whether the node is ready while the database refuses writes.
    pub ready_without_writes: bool,
    /// What the node says of itself.
    pub claims: Claims,
    /// How long outcomes of requests with idempotency keys are stored.
    pub idempotency_retention: SignedDuration,
    /// How often expired data is deleted.
    pub sweep_every: Duration,
    /// The settings in effect, as the desk lists them. Without secrets.
    pub listed: Vec<SettingView>,
}

impl Default for AppSettings {
    /// The system's clock and entropy, and the default limits.
    fn default() -> AppSettings {
        AppSettings {
            limits: Limits::default(),
            tables_per_host: Some(TABLES_PER_HOST),
            bot_delay: Some(BotDelay::DEFAULT),
            clock_skew: Some(CLOCK_SKEW),
            sessions: SessionSettings::default(),
            password_cost: Cost::default(),
            ..AppSettings::unlimited(Arc::new(SystemClock), Arc::new(SystemEntropy))
        }
    }
}

impl AppSettings {
    /// No limits on attempts, tables and the clock, roles without a second step, bots that act at once, and the cheapest hashes:
    /// for tests.
    pub fn unlimited(clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> AppSettings {
        AppSettings {
            clock,
            entropy,
            metrics: Arc::default(),
            limits: Limits::NONE,
            sessions: SessionSettings { second_step_for_roles: false, ..SessionSettings::default() },
            password_cost: Cost::LEAST,
            watched_keys: None,
            tables_per_host: None,
            opening_seconds: OPENING_SECONDS,
            bot_delay: None,
            clock_skew: None,
            heartbeat: HEARTBEAT,
            pack_after: None,
            log: LogSettings::default(),
            destinations: Destinations::default(),
            identities: IdentitySettings::default(),
            mail: None,
            forbidden_words: ForbiddenWords::default(),
            outbound_networks: AllowedNetworks::default(),
            ready_without_writes: true,
            claims: Claims::default(),
            idempotency_retention: IDEMPOTENCY_RETENTION,
            sweep_every: SWEEP_EVERY,
            listed: Vec::new(),
        }
    }
}

/// The settings that can change while a node runs.
pub struct ChangedSettings {
    pub limits: Limits,
    /// The most lobby tables per host; `None` for no limit.
    pub tables_per_host: Option<u32>,
    pub witnesses: Vec<Witness>,
    /// The settings in effect from now on, as the desk lists them.
    pub listed: Vec<SettingView>,
}

pub struct App {
    pub accounts: Arc<Accounts>,
    pub desk: Arc<Desk>,
    pub endings: Arc<Endings>,
    pub games: Arc<Games>,
    pub identities: Arc<Identities>,
    pub keys: Arc<ActiveKeys>,
    pub mail: Arc<Mail>,
    pub matchmaking: Arc<Matchmaking>,
    pub moderation: Arc<Moderation>,
    pub metrics: Arc<Metrics>,
    pub monitoring: Monitoring,
    pub notifications: Arc<Notifications>,
    pub outages: Arc<Outages>,
    pub people: Arc<People>,
    pub players: Arc<Players>,
    pub public_log: Arc<PublicLog>,
    pub nodes: Arc<Nodes>,
    pub readiness: Arc<Readiness>,
    pub records: Arc<Records>,
    pub request_ids: RequestIds,
    pub roles: Roles,
    pub sessions: Arc<Sessions>,
    pub streams: Arc<Streams>,
    pub talk: Arc<Talk>,
    pub throttle: Arc<Throttle>,
    pub(super) announcements: Arc<Announcements>,
    pub(super) database: Database,
    pub(super) node_clock: Arc<NodeClock>,
    pub(super) timers: Arc<Timers>,
    clock: Arc<dyn Clock>,
    closing: Closing,
    pub(super) sweep_every: Duration,
}

impl App {
    pub fn new(database: Database, keys: KeyRing, settings: AppSettings) -> App {
        let AppSettings { clock, entropy, metrics, watched_keys, clock_skew, .. } = settings;
        let AppSettings { tables_per_host, opening_seconds, .. } = settings;
        let pacer = Arc::new(Pacer::new(database.clone(), Arc::clone(&metrics)));
        let handles = Handles { database, clock, entropy, metrics, pacer };
        let outages = Arc::new(Outages::new(handles.clock.now()));
        let closing = Closing::new();
        let node_clock = Arc::new(NodeClock::new(&handles, clock_skew));
        let skipped_games = Arc::new(SkippedGames::default());
        let due = Arc::new(DueGames::default());
        let turn_watch = Arc::new(TurnWatch::new(!settings.destinations.is_empty()));
        let announcements = Arc::new(Announcements::default());
        let names = Arc::new(Names::new(&handles, settings.forbidden_words));
        let recent_calls = Arc::new(RecentCalls::default());
        let presence =
            Arc::new(Presence::new(&handles, recent_calls.clone(), &announcements, settings.claims));
        let readiness = Arc::new(Readiness::new(
            &handles,
            node_clock.clone(),
            closing.clone(),
            settings.ready_without_writes,
        ));
        let keys = Arc::new(ActiveKeys::new(&handles, keys, watched_keys));
        let throttle = Arc::new(Throttle::new(&handles, keys.clone(), settings.limits));
        let hasher = Arc::new(PasswordHasher::new(&throttle, settings.password_cost));
        let sessions = Sessions::new(
            &handles,
            keys.clone(),
            throttle.clone(),
            hasher.clone(),
            recent_calls,
            settings.sessions,
        );
        let sessions = Arc::new(sessions);
        let public_log = Arc::new(PublicLog::new(&handles, keys.clone(), settings.log));
        let used = UsedServices {
            keys: keys.clone(),
            public_log: public_log.clone(),
            names: names.clone(),
            presence: presence.clone(),
            announcements: announcements.clone(),
            due: due.clone(),
            turn_watch: turn_watch.clone(),
            skipped_games: skipped_games.clone(),
        };
        let games = Arc::new(Games::new(
            &handles,
            used,
            GameSettings {
                tables_per_host,
                opening_seconds,
                bot_delay: settings.bot_delay,
                idempotency_retention: settings.idempotency_retention,
            },
        ));
        let change_log = Arc::new(ChangeLog::new(&handles, &settings.destinations));
        let outbound = Outbound::new(settings.outbound_networks);
        let used = UsedByAccounts {
            sessions: sessions.clone(),
            throttle: throttle.clone(),
            hasher: hasher.clone(),
            names: names.clone(),
            games: games.clone(),
            skipped_games: skipped_games.clone(),
            change_log: change_log.clone(),
        };
        let accounts = Arc::new(Accounts::new(&handles, used));
        let used = UsedByMail {
            accounts: accounts.clone(),
            throttle: throttle.clone(),
            changes: change_log.clone(),
        };
        let mail = Arc::new(Mail::new(&handles, used, settings.mail));
        let used = UsedByIdentities {
            accounts: accounts.clone(),
            sessions: sessions.clone(),
            throttle: throttle.clone(),
            changes: change_log.clone(),
            outbound: outbound.clone(),
        };
        let identities = Arc::new(Identities::new(&handles, used, settings.identities));
        let streams = Streams::new(
            &handles,
            games.clone(),
            sessions.clone(),
            presence.clone(),
            announcements.hub.clone(),
            settings.heartbeat,
            closing.clone(),
        );
        let pack_after = settings.pack_after.and_then(|after| SignedDuration::try_from(after).ok());
        let used = UsedByEndings {
            keys: keys.clone(),
            games: games.clone(),
            public_log: public_log.clone(),
            skipped_games: skipped_games.clone(),
        };
        let notified = UsedByNotifications {
            keys: keys.clone(),
            games: games.clone(),
            presence: presence.clone(),
            turn_watch,
            outbound,
        };
        let notifications = Arc::new(Notifications::new(&handles, notified, settings.destinations));
        let met = UsedByPeople {
            throttle: throttle.clone(),
            games: games.clone(),
            names: names.clone(),
            presence: presence.clone(),
            announcements: announcements.clone(),
            notifications: notifications.clone(),
        };
        let talk = Arc::new(Talk::new(&handles, games.clone(), announcements.clone()));
        let moderated = UsedByModeration {
            keys: keys.clone(),
            throttle: throttle.clone(),
            games: games.clone(),
            names: names.clone(),
            talk: talk.clone(),
            accounts: accounts.clone(),
            sessions: sessions.clone(),
            changes: change_log,
            mail: mail.clone(),
        };
        let moderation = Arc::new(Moderation::new(&handles, moderated));
        let nodes = Arc::new(Nodes::new(&handles, presence, readiness.clone()));
        let inspected = UsedByDesk {
            moderation: moderation.clone(),
            sessions: sessions.clone(),
            games: games.clone(),
            names: names.clone(),
            public_log: public_log.clone(),
            skipped_games: skipped_games.clone(),
            nodes: nodes.clone(),
        };
        App {
            desk: Arc::new(Desk::new(&handles, inspected, settings.listed)),
            moderation,
            people: Arc::new(People::new(&handles, met)),
            talk,
            notifications,
            accounts,
            identities,
            mail,
            endings: Arc::new(Endings::new(&handles, used, pack_after)),
            matchmaking: Arc::new(Matchmaking::new(
                &handles,
                games.clone(),
                node_clock.clone(),
                skipped_games.clone(),
            )),
            monitoring: Monitoring::new(&handles, hasher.clone(), skipped_games.clone()),
            outages: outages.clone(),
            players: Arc::new(Players::new(&handles, games.clone(), names.clone())),
            nodes,
            readiness,
            records: Arc::new(Records::new(&handles, keys.clone(), games.clone())),
            request_ids: RequestIds::default(),
            roles: Roles::new(&handles, sessions.clone()),
            streams: Arc::new(streams),
            timers: Arc::new(Timers::new(
                &handles,
                games.clone(),
                node_clock.clone(),
                due.clone(),
                skipped_games.clone(),
                outages,
            )),
            announcements,
            clock: handles.clock,
            closing,
            sweep_every: settings.sweep_every,
            database: handles.database,
            games,
            keys,
            metrics: handles.metrics,
            node_clock,
            public_log,
            sessions,
            throttle,
        }
    }

    /// Changes settings while the node runs.
    pub fn change(&self, settings: ChangedSettings) {
        self.throttle.change(settings.limits);
        self.games.limit_tables(settings.tables_per_host);
        self.public_log.change_witnesses(settings.witnesses);
        self.desk.set_settings(settings.listed);
    }

    /// Marks the node as stopping: it is no longer ready, and streams and polls end.
    pub fn close(&self) {
        self.closing.close();
    }

    /// Finishes pending writes and accepts no more.
    pub async fn shutdown(&self) {
        if let Err(error) = self.sessions.write_used_generations().await {
            tracing::warn!(%error, "cannot write which generations of tokens were used");
        }
        if let Err(error) = self.talk.write().await {
            tracing::warn!(%error, "cannot write the last reactions");
        }
        self.database.shutdown().await;
    }

    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
