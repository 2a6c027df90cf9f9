//! A PostgreSQL connection for diesel, on top of the driver `tokio-postgres`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use diesel::connection::statement_cache::{PrepareForCache, StatementCache};
use diesel::connection::{
    AnsiTransactionManager, CacheSize, Connection, ConnectionSealed, DebugQuery, DynInstrumentation,
    Instrumentation, InstrumentationEvent, LoadConnection, MultiConnectionHelper, SimpleConnection,
    StrQueryHelper, TransactionManager,
};
use diesel::debug_query;
use diesel::expression::QueryMetadata;
use diesel::migration::{CREATE_MIGRATIONS_TABLE, MigrationConnection};
use diesel::pg::{GetPgMetadataCache, Pg, PgMetadataCache, PgTypeMetadata};
use diesel::query_builder::bind_collector::RawBytesBindCollector;
use diesel::query_builder::{Query, QueryFragment, QueryId};
use diesel::r2d2::R2D2Connection;
use diesel::result::{
    ConnectionError, ConnectionResult, DatabaseErrorKind, Error as DieselError, QueryResult,
};
use futures_util::TryStreamExt;
use tokio_postgres::Statement;
use tokio_postgres::types::Type;

use crate::backend::{Backend, ServerId, WRITE_SOMETHING};
use crate::connect::{ConnectError, connect};
use crate::patience::CommitPatience;
use crate::row::{Parameter, PgRow, parameter_type};
use crate::session::Session;
use crate::settings::Settings;

/// The timeout of a liveness check.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

/// A connection to PostgreSQL.
pub struct PgConnection {
    session: Box<Session>,
    backend: Backend,
    patience: Option<CommitPatience>,
    statements: StatementCache<Pg, Statement>,
    transactions: AnsiTransactionManager,
    /// Whether the last call failed. Inside a transaction only a rollback succeeds then.
    failed: bool,
    types: PgMetadataCache,
    instrumentation: DynInstrumentation,
}

impl PgConnection {
    /// Connects. Every call on the connection has the timeout `limit`. Blocks.
    ///
    /// # Errors
    /// None of the servers can be connected to.
    pub fn open(settings: &Settings, limit: Duration) -> Result<Self, ConnectError> {
        let mut instrumentation = DynInstrumentation::default_instrumentation();
        let place = settings.to_string();
        instrumentation.on_connection_event(InstrumentationEvent::start_establish_connection(&place));
        let connected = connect(settings);
        let error = connected.as_ref().err().map(|error| ConnectionError::BadConnection(error.to_string()));
        instrumentation
            .on_connection_event(InstrumentationEvent::finish_establish_connection(&place, error.as_ref()));
        let (mut session, backend) = connected?;
        session.set_limit(limit);
        Ok(Self {
            session: Box::new(session),
            backend,
            patience: None,
            statements: StatementCache::new(),
            transactions: AnsiTransactionManager::default(),
            failed: false,
            types: PgMetadataCache::new(),
            instrumentation,
        })
    }

    /// The server at the other end, from one start to the next.
    pub fn server(&self) -> &ServerId {
        &self.backend.server
    }

    /// Whether commits waited for a standby when the connection was opened.
    pub fn is_synchronous(&self) -> bool {
        self.backend.synchronous
    }

    /// From now on, waits for each COMMIT as long as the server works on it, until `closing` is set. Other
    /// calls keep their timeout.
    pub fn wait_for_commits(&mut self, settings: Arc<Settings>, closing: Arc<AtomicBool>) {
        self.patience = Some(CommitPatience { settings, closing });
    }

    /// Writes a message without effect, so that standbys confirm the transaction's COMMIT, and with it all
    /// earlier commits on the server.
    pub fn write_something(&mut self) -> QueryResult<()> {
        self.batch_execute(WRITE_SOMETHING)
    }

    /// Runs a query with diesel's instrumentation and keeps the transaction's state equal to the server's:
    /// any error aborts the transaction, and only a rollback succeeds then.
    fn observed<T>(
        &mut self,
        query: &dyn DebugQuery,
        run: impl FnOnce(&mut Self) -> QueryResult<T>,
    ) -> QueryResult<T> {
        self.instrumentation.on_connection_event(InstrumentationEvent::start_query(query));
        let outcome = run(self);
        self.ended(query, outcome.as_ref().err());
        outcome
    }

    fn ended(&mut self, query: &dyn DebugQuery, error: Option<&DieselError>) {
        self.failed = error.is_some();
        AnsiTransactionManager::transaction_manager_status_mut(self)
            .set_requires_rollback_maybe_up_to_top_level(error.is_some());
        self.instrumentation.on_connection_event(InstrumentationEvent::finish_query(query, error));
    }

    /// Prepares a query unless it is cached, and serialises its parameters.
    ///
    /// The compiler makes this for each type of query; what it needs no type for is in functions of its own.
    fn prepare<T>(&mut self, source: &T) -> QueryResult<Prepared>
    where
        T: QueryFragment<Pg> + QueryId,
    {
        let mut collector = RawBytesBindCollector::<Pg>::new();
        source.collect_binds(&mut collector, self, &Pg)?;
        let statement = self.statements.cached_statement(
            source,
            &Pg,
            &collector.metadata,
            &mut *self.session,
            prepare,
            &mut *self.instrumentation,
        )?;
        Ok(Prepared::new(&statement, collector.binds))
    }

    fn execute(&mut self, prepared: Prepared) -> QueryResult<usize> {
        let Prepared { statement, parameters } = prepared;
        let count = self.session.call(async |client| client.execute_raw(&statement, parameters).await)?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    fn query(&mut self, prepared: Prepared) -> QueryResult<Vec<tokio_postgres::Row>> {
        let Prepared { statement, parameters } = prepared;
        let rows = self.session.call(async |client| {
            client.query_raw(&statement, parameters).await?.try_collect::<Vec<_>>().await
        })?;
        Ok(rows)
    }

    /// Runs statements that return nothing.
    fn run(&mut self, statements: &str) -> QueryResult<()> {
        if statements == "COMMIT" {
            return self.commit();
        }
        // These two return nothing and fail only with the connection, so they need no round trip of their own.
        if !self.failed && (statements == "BEGIN" || statements.starts_with("SAVEPOINT ")) {
            self.session.defer(statements);
            return Ok(());
        }
        Ok(self.session.call(async |client| client.batch_execute(statements).await)?)
    }

    fn commit(&mut self) -> QueryResult<()> {
        if self.failed {
            // PostgreSQL would roll back and report success.
            let message = "25P02: the transaction is aborted, and cannot be committed".to_owned();
            return Err(DieselError::DatabaseError(DatabaseErrorKind::Unknown, Box::new(message)));
        }
        let Self { session, backend, patience, .. } = self;
        let more = || patience.as_ref()?.more(backend);
        session.call_while(async |client| client.batch_execute("COMMIT").await, more)?;
        match session.warning() {
            None => Ok(()),
            // PostgreSQL reports success when an operator cancels the wait for a standby.
            Some(warning) => {
                let message = format!("COMMIT came with a warning: {warning}");
                Err(DieselError::DatabaseError(DatabaseErrorKind::ClosedConnection, Box::new(message)))
            }
        }
    }
}

/// A prepared statement with its parameters.
struct Prepared {
    statement: Statement,
    parameters: Vec<Parameter>,
}

impl Prepared {
    fn new(statement: &Statement, binds: Vec<Option<Vec<u8>>>) -> Prepared {
        Prepared { statement: statement.clone(), parameters: binds.into_iter().map(Parameter).collect() }
    }
}

fn prepare(
    session: &mut Session,
    sql: &str,
    _: PrepareForCache,
    types: &[PgTypeMetadata],
) -> QueryResult<Statement> {
    let types: Vec<Type> = types.iter().map(parameter_type).collect();
    Ok(session.call(async |client| client.prepare_typed(sql, &types).await)?)
}

impl SimpleConnection for PgConnection {
    fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        self.observed(&StrQueryHelper::new(query), |conn| conn.run(query))
    }
}

impl ConnectionSealed for PgConnection {}

impl Connection for PgConnection {
    type Backend = Pg;
    type TransactionManager = AnsiTransactionManager;

    /// Connects for programs other than the server. Calls may take up to an hour.
    fn establish(url: &str) -> ConnectionResult<Self> {
        let settings = Settings::read(url, &|_| None)
            .map_err(|error| ConnectionError::InvalidConnectionUrl(error.to_string()))?;
        Self::open(&settings, Duration::from_hours(1))
            .map_err(|error| ConnectionError::BadConnection(error.to_string()))
    }

    fn execute_returning_count<T>(&mut self, source: &T) -> QueryResult<usize>
    where
        T: QueryFragment<Pg> + QueryId,
    {
        self.observed(&debug_query::<Pg, _>(source), |conn| {
            let prepared = conn.prepare(source)?;
            conn.execute(prepared)
        })
    }

    fn transaction_state(
        &mut self,
    ) -> &mut <Self::TransactionManager as TransactionManager<Self>>::TransactionStateData {
        &mut self.transactions
    }

    fn instrumentation(&mut self) -> &mut dyn Instrumentation {
        &mut *self.instrumentation
    }

    fn set_instrumentation(&mut self, instrumentation: impl Instrumentation) {
        self.instrumentation = instrumentation.into();
    }

    fn set_prepared_statement_cache_size(&mut self, size: CacheSize) {
        self.statements.set_cache_size(size);
    }
}

impl LoadConnection for PgConnection {
    type Cursor<'conn, 'query> = std::iter::Map<
        std::vec::IntoIter<tokio_postgres::Row>,
        fn(tokio_postgres::Row) -> QueryResult<PgRow>,
    >;
    type Row<'conn, 'query> = PgRow;

    fn load<'conn, 'query, T>(&'conn mut self, source: T) -> QueryResult<Self::Cursor<'conn, 'query>>
    where
        T: Query + QueryFragment<Pg> + QueryId + 'query,
        Pg: QueryMetadata<T::SqlType>,
    {
        let rows = self.observed(&debug_query::<Pg, _>(&source), |conn| {
            let prepared = conn.prepare(&source)?;
            conn.query(prepared)
        })?;
        Ok(rows.into_iter().map(|row| Ok(PgRow::new(row))))
    }
}

impl GetPgMetadataCache for PgConnection {
    fn get_metadata_cache(&mut self) -> &mut PgMetadataCache {
        &mut self.types
    }
}

impl MigrationConnection for PgConnection {
    fn setup(&mut self) -> QueryResult<usize> {
        self.batch_execute(CREATE_MIGRATIONS_TABLE)?;
        Ok(0)
    }
}

impl R2D2Connection for PgConnection {
    fn ping(&mut self) -> QueryResult<()> {
        self.observed(&StrQueryHelper::new(""), |conn| Ok(conn.session.ping(SIGN_OF_LIFE)?))
    }

    fn is_broken(&mut self) -> bool {
        !self.session.is_open() || AnsiTransactionManager::is_broken_transaction_manager(self)
    }
}

impl MultiConnectionHelper for PgConnection {
    fn to_any<'a>(
        lookup: &mut <Pg as diesel::sql_types::TypeMetadata>::MetadataLookup,
    ) -> &mut (dyn std::any::Any + 'a) {
        lookup.as_any()
    }

    fn from_any(
        lookup: &mut dyn std::any::Any,
    ) -> Option<&mut <Pg as diesel::sql_types::TypeMetadata>::MetadataLookup> {
        lookup.downcast_mut::<Self>().map(|conn| conn as &mut dyn diesel::pg::PgMetadataLookup)
    }
}
