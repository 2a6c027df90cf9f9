//! The application of one node: its services, built once.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::Semaphore;

use crate::accounts::Accounts;
use crate::accounts::changes::ChangeLog;
use crate::accounts::roles::Roles;
use crate::auth::active_keys::ActiveKeys;
use crate::auth::caller::RecentCalls;
use crate::auth::hashing::PasswordHasher;
use crate::auth::key_source::{KeySource, KeyVersion};
use crate::auth::keys::KeyRing;
use crate::auth::passwords::Cost;
use crate::auth::session_cache::SessionCache;
use crate::auth::sessions::{SessionSettings, Sessions};
use crate::auth::throttle::{Limits, Throttle};
use crate::base::clock::{Clock, SystemClock};
use crate::base::clock_watch::{CLOCK_SKEW, ClockWatch, NodeClock};
use crate::base::entropy::{Entropy, SystemEntropy};
use crate::base::ids::RequestIds;
use crate::base::live::Live;
use crate::base::metrics::Metrics;
use crate::base::names::{ForbiddenWords, Names};
use crate::base::pacing::Pacer;
use crate::base::pauses::Pauses;
use crate::endings::Endings;
use crate::games::bots::BotDelay;
use crate::games::due_games::DueGames;
use crate::games::hub::Announcements;
use crate::games::hub::presence::Presence;
use crate::games::idempotency::{IDEMPOTENCY_RETENTION, Idempotency};
use crate::games::skipped_games::SkippedGames;
use crate::games::turn_watch::TurnWatch;
use crate::games::{Games, REPLAYS_AT_ONCE};
use crate::histories::Records;
use crate::identities::{Identities, IdentitySettings, trusted_issuers};
use crate::mail::{Mail, MailSettings};
use crate::matchmaking::{Matchmaking, REFUSED_MOVE};
use crate::moderation::Moderation;
use crate::moderation::server::SettingView;
use crate::monitoring::Monitoring;
use crate::nodes::{Claims, Nodes};
use crate::notifications::{AT_ONCE as SENT_AT_ONCE, Destinations, Notifications, Reach};
use crate::outbound::{AllowedNetworks, Outbound};
use crate::people::People;
use crate::players::Players;
use crate::public_log::{ENTRY_PAUSE, LogSettings, PublicLog, Witness};
use crate::reactions::Reactions;
use crate::readiness::{Closing, Outages, Readiness};
use crate::timers::Timers;
use crate::watch::{HEARTBEAT, Streams};
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
    pub endings: Arc<Endings>,
    pub games: Arc<Games>,
    pub identities: Arc<Identities>,
    pub keys: Arc<ActiveKeys>,
    pub mail: Arc<Mail>,
    pub matchmaking: Arc<Matchmaking>,
    pub moderation: Arc<Moderation>,
    pub metrics: Arc<Metrics>,
    pub monitoring: Arc<Monitoring>,
    pub notifications: Arc<Notifications>,
    pub outages: Arc<Outages>,
    pub people: Arc<People>,
    pub players: Arc<Players>,
    pub public_log: Arc<PublicLog>,
    pub nodes: Arc<Nodes>,
    pub readiness: Arc<Readiness>,
    pub records: Arc<Records>,
    pub request_ids: RequestIds,
    pub roles: Arc<Roles>,
    pub sessions: Arc<Sessions>,
    pub streams: Arc<Streams>,
    pub reactions: Arc<Reactions>,
    pub throttle: Arc<Throttle>,
    pub(super) announcements: Arc<Announcements>,
    pub(super) database: Database,
    pub(super) node_clock: Arc<NodeClock>,
    pub(super) timers: Arc<Timers>,
    clock: Arc<dyn Clock>,
    closing: Closing,
    pub(super) sweep_every: Duration,
}

/// A service: clones of the parts that are named, and after `;` what is its own.
macro_rules! service {
    ($service:ident { $($part:ident),+ $(; $($field:ident: $value:expr),+)? }) => {
        Arc::new($service { $($part: $part.clone(),)+ $($($field: $value,)+)? })
    };
}

impl App {
    pub fn new(database: Database, keys: KeyRing, mut settings: AppSettings) -> App {
        let AppSettings { clock, entropy, metrics, watched_keys, clock_skew, .. } = settings;
        let pacer = Arc::new(Pacer::new(database.clone(), Arc::clone(&metrics)));
        let outages = Arc::new(Outages::new(clock.now()));
        let closing = Closing::new();
        let skipped_games = Arc::new(SkippedGames::default());
        let due = Arc::new(DueGames::default());
        let turn_watch = Arc::new(TurnWatch::new(!settings.destinations.is_empty()));
        let announcements = Arc::new(Announcements::default());
        let hub = Arc::clone(&announcements.hub);
        let recent_calls = Arc::new(RecentCalls::default());
        let outbound = Outbound::new(settings.outbound_networks);
        let node_clock = service!(NodeClock { database, clock, metrics; watch: ClockWatch::new(clock_skew) });
        let names = Arc::new(Names::new(database.clone(), clock.clone(), settings.forbidden_words));
        let claims = settings.claims;
        let presence =
            Arc::new(Presence::new(database.clone(), &*clock, recent_calls.clone(), &announcements, claims));
        let readiness = service!(Readiness {
            database, node_clock, closing;
            ready_without_writes: settings.ready_without_writes, trouble: Default::default()
        });
        let keys = ActiveKeys::new(database.clone(), clock.clone(), entropy.clone(), keys, watched_keys);
        let keys = Arc::new(keys);
        let throttle = service!(Throttle { database, clock, keys; limits: Live::new(settings.limits) });
        let hasher = Arc::new(PasswordHasher::new(&throttle, settings.password_cost));
        let sessions = service!(Sessions {
            database, clock, entropy, keys, throttle, hasher, recent_calls;
            cache: SessionCache::new(settings.sessions.trusted), settings: settings.sessions
        });
        let public_log = service!(PublicLog {
            database, clock, entropy, keys, pacer, metrics;
            name: settings.log.origin.as_str().into(),
            witnesses: Live::new(std::mem::take(&mut settings.log.witnesses)),
            settings: settings.log,
            witnesses_asked: Default::default(), compared: Default::default(), refusal: Default::default(),
            latest: Default::default(), witness_states: Default::default(), damaged: Default::default(),
            paused_entries: Pauses::new(ENTRY_PAUSE)
        });
        let idempotency = Idempotency::new(database.clone(), clock.clone(), settings.idempotency_retention);
        let games = service!(Games {
            database, clock, entropy, metrics, keys, public_log, names, presence, hub, announcements, due, turn_watch,
            skipped_games;
            cache: Default::default(),
            idempotency: idempotency,
            replays: Semaphore::new(REPLAYS_AT_ONCE), tables_per_host: Live::new(settings.tables_per_host),
            opening_seconds: settings.opening_seconds, bot_delay: settings.bot_delay
        });
        let Destinations { webhook, push, public_url } = settings.destinations;
        let reach = Reach { webhook: webhook.is_some(), pushes: push.is_some() };
        let change_log = service!(ChangeLog { clock, entropy, reach });
        let accounts = service!(Accounts {
            database,
            clock,
            entropy,
            metrics,
            sessions,
            throttle,
            hasher,
            names,
            games,
            skipped_games,
            change_log
        });
        let mail = service!(Mail {
            database, clock, entropy, metrics, accounts, throttle, change_log; settings: settings.mail
        });
        let IdentitySettings { issuers, redirect_uri } = settings.identities;
        let identities = service!(Identities {
            database, clock, entropy, metrics, accounts, sessions, throttle, change_log;
            issuers: trusted_issuers(issuers, &outbound), redirect_uri: redirect_uri
        });
        let notifications = service!(Notifications {
            database, clock, entropy, metrics, keys, games, presence, turn_watch, outbound;
            webhook: webhook, push: push, public_url: public_url, slots: Arc::new(Semaphore::new(SENT_AT_ONCE)),
            written: Default::default(), unwritten: Default::default()
        });
        let reactions =
            service!(Reactions { database, clock, metrics, games, announcements; said: Default::default() });
        let nodes = service!(Nodes { database, presence, readiness });
        let moderation = service!(Moderation {
            database, clock, entropy, metrics, keys, throttle, games, names, reactions, accounts, sessions, change_log, mail,
            public_log, skipped_games, nodes;
            settings: Live::new(settings.listed)
        });
        let pack_after = settings.pack_after.and_then(|after| SignedDuration::try_from(after).ok());
        App {
            people: service!(People {
                database,
                clock,
                entropy,
                throttle,
                games,
                names,
                presence,
                announcements,
                notifications
            }),
            endings: service!(Endings {
                database, clock, metrics, keys, games, public_log, skipped_games, pacer;
                pack_after: pack_after, pass: Default::default()
            }),
            matchmaking: service!(Matchmaking {
                database, clock, games, node_clock, skipped_games;
                refused_moves: Pauses::new(REFUSED_MOVE), seating: Default::default()
            }),
            monitoring: service!(Monitoring { database, clock, metrics, hasher, skipped_games }),
            players: service!(Players { database, games, names }),
            records: service!(Records { database, clock, keys, games }),
            request_ids: RequestIds::default(),
            roles: service!(Roles { database, clock, entropy, sessions }),
            streams: service!(Streams {
                database, clock, metrics, games, sessions, presence, hub, closing; heartbeat: settings.heartbeat
            }),
            timers: service!(Timers { database, metrics, games, node_clock, due, skipped_games, outages }),
            sweep_every: settings.sweep_every,
            accounts,
            announcements,
            clock,
            closing,
            database,
            games,
            identities,
            keys,
            mail,
            metrics,
            moderation,
            node_clock,
            nodes,
            notifications,
            outages,
            public_log,
            readiness,
            sessions,
            reactions,
            throttle,
        }
    }

    /// Changes settings while the node runs.
    pub fn change(&self, settings: ChangedSettings) {
        self.throttle.change(settings.limits);
        self.games.limit_tables(settings.tables_per_host);
        self.public_log.change_witnesses(settings.witnesses);
        self.moderation.set_settings(settings.listed);
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
        if let Err(error) = self.reactions.write().await {
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
