use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    Pass,
    /// Cut the connection before the next COMMIT of the marked transaction ([`Proxy::cut`]), then forward.
    CutBeforeCommit,
    /// Forward the next COMMIT of the marked transaction, and cut the connection before its answer; then
    /// forward.
    CutAfterCommit,
    /// The same, and refuse all connections until the plan changes.
    CutAfterCommitAndAll,
    /// Forward nothing and keep connections open, like a network that loses packets.
    Hang,
    /// Cut all connections and refuse new ones.
    Away,
}

struct Shared {
    plan: Mutex<Plan>,
    /// Text of the transaction to cut at COMMIT. A node runs other transactions in the background.
    meant: Mutex<String>,
    cuts: AtomicUsize,
    /// Connections that have inserted rows.
    writers: AtomicUsize,
    /// How often connections were frozen. Those of an earlier count pass nothing on.
    freezes: AtomicUsize,
    /// How often a client spoke on a frozen connection.
    unheard: AtomicUsize,
}

/// PostgreSQL's message with which a client ends a connection.
const TERMINATE: &[u8] = b"X\0\0\0\x04";

impl Shared {
    fn plan(&self) -> Plan {
        *self.plan.lock().expect("a plan")
    }

    /// Waits while the plan is to hang.
    fn wait(&self) -> Plan {
        loop {
            match self.plan() {
                Plan::Hang => thread::sleep(Duration::from_millis(10)),
                plan => return plan,
            }
        }
    }

    fn is_meant(&self, transaction: &[u8]) -> bool {
        let meant = self.meant.lock().expect("what is meant");
        !meant.is_empty() && transaction.windows(meant.len()).any(|window| window == meant.as_bytes())
    }

    /// The action for a COMMIT. Each cut happens once.
    fn commit(&self) -> Plan {
        let mut plan = self.plan.lock().expect("a plan");
        let found = *plan;
        *plan = match found {
            Plan::CutBeforeCommit | Plan::CutAfterCommit => Plan::Pass,
            Plan::CutAfterCommitAndAll => Plan::Away,
            other => other,
        };
        if *plan != found {
            self.cuts.fetch_add(1, Ordering::SeqCst);
        }
        found
    }
}

pub struct Proxy {
    pub url: String,
    shared: Arc<Shared>,
}

impl Proxy {
    pub fn before(url: &str) -> Proxy {
        let (scheme, rest) = url.split_once("://").expect("a URL");
        let (authority, name) = rest.split_once('/').expect("a database");
        let (user, server) = authority.rsplit_once('@').expect("a user");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let place = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            plan: Mutex::new(Plan::Pass),
            meant: Mutex::default(),
            cuts: AtomicUsize::new(0),
            writers: AtomicUsize::new(0),
            freezes: AtomicUsize::new(0),
            unheard: AtomicUsize::new(0),
        });
        let url = format!("{scheme}://{user}@{place}/{name}?sslmode=disable");
        let (server, all) = (server.to_owned(), Arc::clone(&shared));
        thread::spawn(move || {
            for client in listener.incoming() {
                let Ok(client) = client else { continue };
                let (server, shared) = (server.clone(), Arc::clone(&all));
                thread::spawn(move || {
                    if shared.wait() == Plan::Away {
                        return;
                    }
                    if let Ok(server) = TcpStream::connect(&server) {
                        serve(client, server, &shared);
                    }
                });
            }
        });
        Proxy { url, shared }
    }

    pub fn plan(&self, plan: Plan) {
        *self.shared.plan.lock().expect("a plan") = plan;
    }

    /// Forwards nothing more on the open connections, like a firewall that has forgotten them. New ones pass.
    pub fn freeze(&self) {
        self.shared.freezes.fetch_add(1, Ordering::SeqCst);
    }

    /// How often clients have spoken on frozen connections, other than to end them.
    pub fn unheard(&self) -> usize {
        self.shared.unheard.load(Ordering::SeqCst)
    }

    pub fn cut(&self, plan: Plan, meant: &str) {
        meant.clone_into(&mut self.shared.meant.lock().expect("what is meant"));
        self.plan(plan);
    }

    pub fn cuts(&self) -> usize {
        self.shared.cuts.load(Ordering::SeqCst)
    }

    /// The number of connections that have inserted rows.
    pub fn writers(&self) -> usize {
        self.shared.writers.load(Ordering::SeqCst)
    }
}

fn serve(client: TcpStream, server: TcpStream, shared: &Arc<Shared>) {
    let born = shared.freezes.load(Ordering::SeqCst);
    let pairs = (client.try_clone().expect("a clone"), server.try_clone().expect("a clone"));
    let muted = Arc::new(AtomicUsize::new(0));
    let (mute, back_shared) = (Arc::clone(&muted), Arc::clone(shared));
    let back = thread::spawn(move || {
        let pass = |_: &[u8]| mute.load(Ordering::SeqCst) == 0;
        carry(pairs.1, pairs.0, (&back_shared, born), |_| (), pass);
    });
    let (mut said, mut writes) = (Vec::new(), false);
    let unheard = |bytes: &[u8]| {
        if bytes != TERMINATE {
            shared.unheard.fetch_add(1, Ordering::SeqCst);
        }
    };
    carry(client, server, (shared, born), unheard, |bytes| {
        said.extend_from_slice(bytes);
        if !writes && bytes.windows(6).any(|window| window == b"INSERT") {
            writes = true;
            shared.writers.fetch_add(1, Ordering::SeqCst);
        }
        if !bytes.windows(6).any(|window| window == b"COMMIT") {
            return true;
        }
        let transaction = std::mem::take(&mut said);
        if !shared.is_meant(&transaction) {
            return true;
        }
        match shared.commit() {
            Plan::CutBeforeCommit => false,
            Plan::CutAfterCommit | Plan::CutAfterCommitAndAll => {
                // Reads the answer and drops it.
                muted.store(1, Ordering::SeqCst);
                true
            }
            _ => true,
        }
    });
    let _ = back.join();
}

/// Copies bytes one way until either side ends, the plan cuts it, or `pass` refuses. Those of a frozen connection go to
/// `drop` instead.
fn carry(
    mut from: TcpStream,
    mut to: TcpStream,
    (shared, born): (&Shared, usize),
    drop: impl Fn(&[u8]),
    mut pass: impl FnMut(&[u8]) -> bool,
) {
    let mut buffer = [0; 65_536];
    from.set_read_timeout(Some(Duration::from_millis(20))).expect("a timeout");
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error)
                if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) =>
            {
                if shared.plan() == Plan::Away {
                    break;
                }
                continue;
            }
            Err(_) => break,
        };
        if shared.freezes.load(Ordering::SeqCst) != born {
            drop(&buffer[..read]);
            continue;
        }
        if shared.wait() == Plan::Away || !pass(&buffer[..read]) || to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
