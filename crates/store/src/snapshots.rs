//! Snapshots of game states, so that loading a game reads only the end of its log. They can be recomputed
//! from the log.

use diesel::backend::Backend;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Binary, HasSqlType, Integer, Text};

use super::columns::Bytes;
use super::schema::game_snapshots;
use super::{Binding, Connection, GameId, Hash, Result, columns};

/// The state of a game at a version.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = game_snapshots)]
pub struct Snapshot {
    #[diesel(deserialize_as = i64)]
    pub seq: u64,
    /// The format of `state`. A reader that does not know it replays the log instead.
    pub format: i32,
    /// The chain's hash at that version.
    #[diesel(deserialize_as = Bytes<32>)]
    pub hash: Hash,
    pub state: String,
    /// Binds all of it to the game.
    pub binding: Binding,
}

/// The newest snapshot of a game.
pub fn latest(conn: &mut Connection, game: GameId) -> Result<Option<Snapshot>> {
    Ok(game_snapshots::table.find(game).select(Snapshot::as_select()).first(conn).optional()?)
}

/// Stores a snapshot, unless a newer one exists.
pub fn save(conn: &mut Connection, game: GameId, snapshot: &Snapshot) -> Result<()> {
    let seq = columns::to_stored(snapshot.seq)?;
    Upsert { game, seq, snapshot }.execute(conn)?;
    Ok(())
}

/// Both databases support this `ON CONFLICT`, but diesel cannot express it for both.
struct Upsert<'a> {
    game: GameId,
    seq: i64,
    snapshot: &'a Snapshot,
}

impl QueryId for Upsert<'_> {
    type QueryId = Upsert<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<C> RunQueryDsl<C> for Upsert<'_> {}

impl<DB> QueryFragment<DB> for Upsert<'_>
where
    DB: Backend + HasSqlType<Text> + HasSqlType<BigInt> + HasSqlType<Integer> + HasSqlType<Binary>,
    GameId: diesel::serialize::ToSql<Text, DB>,
    str: diesel::serialize::ToSql<Text, DB>,
    i64: diesel::serialize::ToSql<BigInt, DB>,
    i32: diesel::serialize::ToSql<Integer, DB>,
    [u8]: diesel::serialize::ToSql<Binary, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let Snapshot { format, hash, state, binding, .. } = self.snapshot;
        out.push_sql("INSERT INTO game_snapshots (game_id, seq, format, hash, state, binding) VALUES (");
        out.push_bind_param::<Text, _>(&self.game)?;
        out.push_sql(", ");
        out.push_bind_param::<BigInt, _>(&self.seq)?;
        out.push_sql(", ");
        out.push_bind_param::<Integer, _>(format)?;
        out.push_sql(", ");
        out.push_bind_param::<Binary, _>(&hash[..])?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(state.as_str())?;
        out.push_sql(", ");
        out.push_bind_param::<Binary, _>(binding.as_bytes())?;
        out.push_sql(
            ") ON CONFLICT (game_id) DO UPDATE SET seq = excluded.seq, format = excluded.format, \
             hash = excluded.hash, state = excluded.state, binding = excluded.binding \
             WHERE excluded.seq >= game_snapshots.seq",
        );
        Ok(())
    }
}
