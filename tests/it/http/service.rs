//! The service under test: a real server on its own port, with its own database, clock and entropy.

use std::collections::HashMap;
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread::JoinHandle;

use actix_web::dev::ServerHandle;
use estimation::http::{ServerSettings, serve};
use estimation_service::auth::keys::KeyRing;
use estimation_service::auth::passwords::Cost;
use estimation_service::auth::sessions::SessionSettings;
use estimation_service::auth::throttle::Limits;
use estimation_service::base::clock::{Clock, ManualClock};
use estimation_service::base::entropy::SeededEntropy;
use estimation_service::notifications::{Destinations, PushHost, PushSettings};
use estimation_service::services::AppSettings;
use estimation_store::Database;

use super::table::{NAMES, TableSetup};
use crate::prelude::*;

pub const PASSWORD: &str = "plum-kettle-orbit";

/// Settings of a service besides its database.
#[derive(Clone)]
pub struct Setup {
    pub limits: Limits,
    pub sessions: SessionSettings,
    pub password_cost: Cost,
    pub tables_per_host: Option<u32>,
    pub destinations: Destinations,
    pub settings: ServerSettings,
}

impl Setup {
    fn app(
        &self,
        database: Database,
        keys: &KeyRing,
        clock: Arc<ManualClock>,
        entropy: Arc<SeededEntropy>,
    ) -> App {
        let settings = AppSettings {
            limits: self.limits,
            sessions: self.sessions,
            password_cost: self.password_cost.clone(),
            tables_per_host: self.tables_per_host,
            destinations: self.destinations.clone(),
            ..AppSettings::unlimited(clock, entropy)
        };
        App::new(database, keys.clone(), settings)
    }
}

impl Default for Setup {
    fn default() -> Setup {
        let settings = ServerSettings { workers: 1, ..ServerSettings::default() };
        let sessions = SessionSettings { second_step_for_roles: false, ..SessionSettings::default() };
        let password_cost = Cost::LEAST;
        let hosts = PushHost::KNOWN.split(',').map(|host| host.parse().expect("a host")).collect();
        let push = Some(PushSettings { contact: "mailto:admin@example.org".to_owned(), hosts });
        let destinations = Destinations { push, ..Destinations::default() };
        Setup { limits: Limits::NONE, sessions, password_cost, tables_per_host: None, destinations, settings }
    }
}

pub struct Service {
    setup: Setup,
    running: Option<Running>,
    database: Option<TestDatabase>,
    clock: Arc<ManualClock>,
    keys: KeyRing,
    folder: TempDir,
    players: Mutex<HashMap<String, Player>>,
    nobody: Client,
    others: AtomicU64,
}

impl From<TestDatabase> for Service {
    fn from(database: TestDatabase) -> Service {
        Service::start(database)
    }
}

struct Running {
    app: Arc<App>,
    handle: ServerHandle,
    thread: JoinHandle<()>,
}

fn noon() -> Timestamp {
    "2026-01-01T12:00:00Z".parse().expect("a time")
}

impl Service {
    pub fn start(database: TestDatabase) -> Service {
        Service::with(database, SeededEntropy::new(1))
    }

    /// A service with this entropy, which may stack the pack.
    pub fn with(database: TestDatabase, entropy: SeededEntropy) -> Service {
        Service::set_up(database, entropy, Setup::default())
    }

    pub fn told(database: TestDatabase, setup: Setup) -> Service {
        Service::set_up(database, SeededEntropy::new(1), setup)
    }

    fn set_up(database: TestDatabase, entropy: SeededEntropy, setup: Setup) -> Service {
        let entropy = Arc::new(entropy);
        let folder = TempDir::new().expect("a temporary folder");
        let keys =
            KeyRing::load_or_create(&folder.path().join("keys.json"), &*entropy, noon()).expect("keys");
        let clock = Arc::new(ManualClock::at(noon()));
        let (base, running) = run(&database, &keys, &clock, entropy, &setup);
        Service {
            setup,
            running: Some(running),
            nobody: Client::anonymous(&base).judged(),
            database: Some(database),
            clock,
            keys,
            folder,
            players: Mutex::default(),
            others: AtomicU64::default(),
        }
    }

    /// Stops the server and starts another on the same database with the same keys. Tokens remain valid;
    /// players need a new client.
    pub fn restart(self) -> Service {
        self.restart_after(|| {})
    }

    /// Like `restart`, and does something while no server runs.
    pub fn restart_after(mut self, act: impl FnOnce()) -> Service {
        self.stop();
        act();
        let database = self.database.take().expect("a database");
        let entropy = Arc::new(SeededEntropy::new(2));
        let (base, running) = run(&database, &self.keys, &self.clock, entropy, &self.setup);
        let nobody = Client::anonymous(&base).judged();
        let players = std::mem::take(&mut *self.players.lock().expect("the players"));
        let players = players.into_iter().map(|(name, player)| (name, player.at(&base))).collect();
        Service {
            setup: self.setup.clone(),
            running: Some(running),
            nobody,
            database: Some(database),
            clock: Arc::clone(&self.clock),
            keys: self.keys.clone(),
            folder: std::mem::replace(&mut self.folder, TempDir::new().expect("a temporary folder")),
            players: Mutex::new(players),
            others: AtomicU64::new(1_000),
        }
    }

    pub fn anonymous(&self) -> Client {
        self.nobody.clone()
    }

    pub async fn player(&self, name: &str) -> Player {
        let known = self.players.lock().expect("the players").get(name).cloned();
        if let Some(player) = known {
            return player;
        }
        let registered = self
            .nobody
            .send("/v1/accounts", &json!({"username": name, "password": PASSWORD, "display_name": name}))
            .await
            .accepted();
        let player = Player::new(&self.nobody, name, &registered);
        self.players.lock().expect("the players").insert(name.to_owned(), player.clone());
        player
    }

    /// Gives a player a role, and signs the player in with it.
    pub async fn with_role(&self, name: &str, role: &str) -> Client {
        self.player(name).await;
        let app = self.another_node();
        app.roles.grant_to(name, role.parse().expect("a role")).await.expect("a grant");
        app.shutdown().await;
        self.nobody.signed_in(name, PASSWORD).await
    }

    /// Signs the first players in again, because their tokens do not last for days.
    pub async fn sign_in_again(&self, players: usize) -> Vec<Player> {
        let mut signed_in = Vec::new();
        for name in &NAMES[..players] {
            let known = self.player(name).await;
            let login = json!({"username": name, "password": PASSWORD});
            let session = self.nobody.send("/v1/sessions", &login).await.accepted();
            let registered = json!({"session": session, "account": {"id": known.account}});
            signed_in.push(Player::new(&self.nobody, name, &registered));
        }
        signed_in
    }

    pub fn app(&self) -> Arc<App> {
        Arc::clone(&self.running.as_ref().expect("a running service").app)
    }

    pub fn another_node(&self) -> Arc<App> {
        let database = self.database.as_ref().expect("a database").open();
        // Each node draws other numbers.
        let entropy = Arc::new(SeededEntropy::new(3 + self.others.fetch_add(1, Ordering::Relaxed)));
        Arc::new(self.setup.app(database, &self.keys, self.clock.clone(), entropy))
    }

    pub fn holds_account(&self, text: &str) -> bool {
        let columns = ["id", "username", "username_key", "display_name", "password_hash"];
        self.database.as_ref().expect("a database").outsider().holds("accounts", &columns, text)
    }

    pub fn table(&self, ruleset: &str) -> TableSetup<'_> {
        TableSetup::new(self, ruleset)
    }

    pub fn wait(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    /// The key ring with its secrets, as in its file: what a thief would have.
    pub fn stolen_keys(&self) -> Value {
        let file = self.folder.path().join("keys.json");
        serde_json::from_str(&std::fs::read_to_string(file).expect("the key file")).expect("keys")
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn database(&self) -> &TestDatabase {
        self.database.as_ref().expect("a database")
    }

    fn stop(&mut self) {
        if let Some(Running { app, handle, thread }) = self.running.take() {
            app.close();
            // Calling `stop` is enough; the future only waits.
            drop(handle.stop(false));
            thread.join().expect("the server ends");
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Serves on a free port from a thread with its own event loop.
fn run(
    database: &TestDatabase,
    keys: &KeyRing,
    clock: &Arc<ManualClock>,
    entropy: Arc<SeededEntropy>,
    setup: &Setup,
) -> (String, Running) {
    let app = Arc::new(setup.app(database.open(), keys, clock.clone(), entropy));
    let settings = setup.settings.clone();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let (started, starting) = mpsc::channel();
    let served = Arc::clone(&app);
    let thread = std::thread::spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            let server = serve(Arc::clone(&served), listener, settings).expect("a server");
            let background = served.start_background();
            started.send(server.handle()).expect("somebody waits");
            server.await.expect("the server runs");
            drop(background);
            served.shutdown().await;
        });
    });
    let handle = starting.recv().expect("the server starts");
    (base, Running { app, handle, thread })
}
