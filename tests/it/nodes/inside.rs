//! The service inside this process, with access to the writer's connection.

use std::net::TcpListener;
use std::thread;

use diesel::connection::SimpleConnection;
use estimation::http::{ServerSettings, serve};
use estimation_service::auth::keys::KeyRing;
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_service::base::entropy::SystemEntropy;
use estimation_service::services::AppSettings;
use estimation_store::{Database, Server, Settings, StoreError};

use crate::prelude::*;

pub struct Inside {
    pub url: String,
    pub app: Arc<App>,
    pub database: TestDatabase,
    pub store: Database,
    _folder: TempDir,
}

impl Inside {
    pub fn start(database: TestDatabase) -> Inside {
        Inside::start_with(database, Settings::default())
    }

    /// Starts a service without background work: it reads no log periodically and receives no notices.
    pub fn start_with(database: TestDatabase, settings: Settings) -> Inside {
        let store = database.open_with(settings);
        Inside::on(database, store)
    }

    /// The same, with another way to the database.
    pub fn start_through(database: TestDatabase, url: &str) -> Inside {
        let url = url.parse().expect("a URL");
        Inside::on(database, Database::open(&url, Settings::default()).expect("a database"))
    }

    fn on(database: TestDatabase, store: Database) -> Inside {
        let folder = TempDir::new().expect("a folder");
        let keys = folder.path().join("keys.json");
        let keys = KeyRing::load_or_create(&keys, &SystemEntropy, SystemClock.now()).expect("keys");
        let app = Arc::new(App::new(store.clone(), keys, AppSettings::default()));
        let served = Arc::clone(&app);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        thread::spawn(move || {
            actix_web::rt::System::new().block_on(async {
                serve(served, listener, ServerSettings::default()).expect("a server").await
            })
        });
        Inside { url, app, store, database, _folder: folder }
    }

    pub async fn on_the_writer(&self, sql: &'static str) {
        self.store.write(Server, move |conn| Ok::<_, StoreError>(conn.batch_execute(sql)?)).await.expect(sql);
    }
}
