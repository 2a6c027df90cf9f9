//! PostgreSQL over TLS: queries, commits and notices, with and without certificate checks. The checks are tested with the
//! store.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use estimation_store::PgConnection;

use super::cluster::Cluster;
use super::frames::{Frame, Frames};
use crate::certificates::Pair;
use crate::harness::table::Table;
use crate::prelude::*;

#[derive(Debug, QueryableByName, PartialEq)]
struct Session {
    #[diesel(sql_type = Text)]
    application_name: String,
    #[diesel(sql_type = Bool)]
    ssl: bool,
    #[diesel(sql_type = BigInt)]
    count: i64,
}

fn sessions(url: &str) -> Vec<Session> {
    let mut conn = PgConnection::establish(url).expect("PostgreSQL");
    diesel::sql_query(
        "SELECT application_name, ssl, count(*) AS count FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) \
         WHERE application_name LIKE 'estimation%' GROUP BY 1, 2 ORDER BY 1",
    )
    .load(&mut conn)
    .expect("sessions")
}

#[tokio::test]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn nodes_reach_a_database_that_wants_tls() {
    let trusted = Pair::self_signed(&["127.0.0.1"]);
    let cluster = Cluster::with_tls(trusted.folder());
    for (number, options) in
        ["sslmode=require".to_owned(), format!("sslmode=verify-full&sslrootcert={}", trusted.certificate())]
            .into_iter()
            .enumerate()
    {
        let url = format!("{}/postgres?{options}", cluster.url);
        let site = Site::at(&url);
        let nodes = [site.node(), site.node()];
        let table = Table::of_two(&Client::anonymous(&nodes[0].url)).await;
        let mut stream = Frames::of(&table.players[0].client.at(&nodes[1].url), &table.stream(), None).await;
        let version = table.play(&mut Random(number as u64), 30).await;
        for seq in 1..=version {
            assert!(matches!(stream.soon(PATIENCE).await, Frame::Event { id, .. } if id == seq));
        }
        let sessions = sessions(&url);
        assert!(sessions.iter().all(|session| session.ssl), "{sessions:?}");
        let listening = sessions.iter().find(|session| session.application_name == "estimation-listener");
        assert_eq!(listening.map(|session| session.count), Some(2), "each node hears notices: {sessions:?}");
        assert!(nodes.iter().all(|node| {
            !node.complaints().contains("the exchange of notices with other nodes is interrupted")
        }));
    }
}
