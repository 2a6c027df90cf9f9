//! The last admin: a service that has an admin keeps one, whatever happens at the same time.

use estimation_store::role::Role;
use estimation_store::{Connection, Server, StoreError, accounts, role_grants};

use super::samples::{account_id, at, guest, row_id};
use crate::prelude::*;

/// Changes that take the role from an account.
type Loss = fn(&mut Connection, &'static str) -> Result<(), StoreError>;

const LOSSES: [Loss; 2] = [
    |conn, account| {
        let id = format!("{account} is a player");
        role_grants::grant(conn, row_id(&id), &account_id(account), Role::Player, None, at(30)).map(drop)
    },
    |conn, account| accounts::delete(conn, &account_id(account)).map(drop),
];

on_both! {
    async fn the_last_admin_keeps_the_role(database: TestDatabase) {
        let store = database.open();
        let make = |id: &'static str| {
            store.write(Server, move |conn| {
                accounts::insert(conn, &guest(id))?;
                role_grants::grant(conn, row_id(id), &account_id(id), Role::Admin, None, at(10)).map(drop)
            })
        };
        make("ann").await.expect("an admin");
        for loss in LOSSES {
            assert_eq!(store.write(Server, move |conn| loss(conn, "ann")).await, Err(StoreError::LastAdmin));
        }
        let again = store.write(Server, |conn| role_grants::grant(conn, row_id("2"), &account_id("ann"), Role::Admin, None, at(20))).await;
        assert_eq!(again.expect("a grant").former_role, Role::Admin);
        make("bob").await.expect("an admin");
        store.write(Server, |conn| accounts::delete(conn, &account_id("ann"))).await.expect("another admin is left");
        let demoted = store.write(Server, |conn| role_grants::grant(conn, row_id("3"), &account_id("bob"), Role::Auditor, None, at(30))).await;
        assert_eq!(demoted, Err(StoreError::LastAdmin));
    }

    /// Two admins lose the role at once, on two nodes, by a grant or by a deletion.
    async fn two_admins_cannot_both_lose_the_role(database: TestDatabase) {
        let nodes = [database.open(), database.open()];
        for round in 0..24_usize {
            let names: [&'static str; 2] =
                ["a", "b"].map(|name| &*Box::leak(format!("{name}{round}").into_boxed_str()));
            nodes[0]
                .write(Server, move |conn| {
                    for name in names {
                        accounts::insert(conn, &guest(name))?;
                        role_grants::grant(conn, row_id(name), &account_id(name), Role::Admin, None, at(10))?;
                    }
                    Ok::<_, StoreError>(())
                })
                .await
                .expect("two admins");
            // The admin who is left of the round before.
            let [ann, bob] = names;
            let others = format!("UPDATE accounts SET role = 'player' WHERE id NOT IN ('{ann}', '{bob}')");
            database.outsider().run(&others).expect("two admins are left");
            let losses = [LOSSES[round % 2], LOSSES[round / 2 % 2]];
            let racers = [0, 1].map(|n| {
                let (node, loss, name) = (nodes[n].clone(), losses[n], names[n]);
                tokio::spawn(async move { node.write(Server, move |conn| loss(conn, name)).await })
            });
            let mut outcomes = Vec::new();
            for racer in racers {
                outcomes.push(racer.await.expect("an outcome"));
            }
            outcomes.sort_by_key(Result::is_err);
            assert_eq!(outcomes, [Ok(()), Err(StoreError::LastAdmin)], "round {round}");
            assert_eq!(database.outsider().count("accounts WHERE role = 'admin'"), 1);
        }
    }
}
