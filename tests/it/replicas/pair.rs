//! A primary and its synchronous standby, without Patroni.

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Integer;
use estimation_store::PgConnection;

use crate::nodes::cluster::Cluster;

const ANY: &str = "ANY 1 (*)";

pub struct Pair {
    pub primary: Cluster,
    pub standby: Cluster,
}

impl Pair {
    pub fn new() -> Pair {
        let primary = Cluster::new();
        let standby = primary.standby();
        primary.wait_for_standbys(ANY);
        Pair { primary, standby }
    }

    /// The URL of both servers, for the one that takes writes.
    pub fn url(&self) -> String {
        format!(
            "postgres://postgres@127.0.0.1:{},127.0.0.1:{}/postgres?target_session_attrs=read-write",
            self.primary.port(),
            self.standby.port()
        )
    }

    pub fn waiting(&self) -> Vec<i32> {
        let mut conn = PgConnection::establish(&self.primary.socket_url()).expect("the socket");
        let query = "SELECT pid FROM pg_stat_activity \
                     WHERE wait_event = 'SyncRep' AND backend_type = 'client backend'";
        sql::<Integer>(query).load(&mut conn).expect("processes")
    }

    pub fn terminate_waiting(&self) {
        for pid in self.waiting() {
            self.primary.run(&format!("SELECT pg_terminate_backend({pid})"));
        }
    }

    /// Makes the standby the primary. Its own commits are asynchronous until the other server has rejoined.
    pub fn promote(&mut self) {
        self.standby.promote();
        std::mem::swap(&mut self.primary, &mut self.standby);
    }

    /// Makes the old primary the synchronous standby of the new one.
    pub fn rejoin(&self) {
        self.standby.rejoin(&self.primary);
        self.primary.wait_for_standbys(ANY);
    }
}
