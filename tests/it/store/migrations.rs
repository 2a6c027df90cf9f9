//! The two migration trees: same names and same columns.

use diesel::prelude::*;
use diesel::sql_types::Text;
use estimation_store::{Database, Server, Settings, StoreError, migrations};

use crate::prelude::*;

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

fn lines(outsider: &mut Outsider, sqlite: &str, postgres: &str) -> Vec<String> {
    let lines: Vec<Line> = match outsider {
        Outsider::Sqlite(conn) => diesel::sql_query(sqlite).load(conn).expect(sqlite),
        Outsider::Postgres(conn) => diesel::sql_query(postgres).load(conn).expect(postgres),
    };
    lines.into_iter().map(|line| line.line).collect()
}

/// One line per column: table, name, type, nullability, position in the primary key. Strict tables of SQLite have no type for
/// booleans, which are integers there.
fn columns(outsider: &mut Outsider) -> Vec<String> {
    lines(
        outsider,
        "SELECT format('%s %02d %s %s %s %d', m.name, c.cid + 1, c.name, \
                CASE c.type WHEN 'TEXT' THEN 'text' WHEN 'INT' THEN 'integer' WHEN 'INTEGER' THEN 'bigint' \
                            WHEN 'BLOB' THEN 'bytea' ELSE c.type END, \
                iif(c.\"notnull\", 'not null', 'null'), c.pk) AS line \
         FROM sqlite_master m JOIN pragma_table_info(m.name) c \
         WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE '%diesel%' ORDER BY line",
        "SELECT format('%s %s %s %s %s %s', c.table_name, \
                lpad(c.ordinal_position::text, 2, '0'), \
                c.column_name, replace(c.data_type, 'boolean', 'integer'), CASE c.is_nullable WHEN 'NO' THEN 'not null' ELSE 'null' END, \
                coalesce(array_position(i.indkey::int[], c.ordinal_position::int) + 1, 0)) COLLATE \"C\" AS line \
         FROM information_schema.columns c \
         LEFT JOIN pg_index i ON i.indrelid = c.table_name::regclass AND i.indisprimary \
         WHERE c.table_schema = 'public' AND c.table_name NOT LIKE '%diesel%' ORDER BY line",
    )
}

/// One line per named index: table, name, uniqueness, columns.
fn indexes(outsider: &mut Outsider) -> Vec<String> {
    lines(
        outsider,
        "SELECT format('%s %s %s %s', m.name, i.name, iif(i.\"unique\", 'unique', 'plain'), \
                (SELECT group_concat(name, ',') FROM \
                    (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno))) AS line \
         FROM sqlite_master m JOIN pragma_index_list(m.name) i \
         WHERE m.type = 'table' AND i.origin = 'c' ORDER BY line",
        "SELECT format('%s %s %s %s', t.relname, c.relname, \
                CASE WHEN i.indisunique THEN 'unique' ELSE 'plain' END, \
                (SELECT string_agg(a.attname, ',' ORDER BY k.n) \
                 FROM unnest(i.indkey::int[]) WITH ORDINALITY AS k (attnum, n) \
                 JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum)) COLLATE \"C\" AS line \
         FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid \
         WHERE t.relnamespace = 'public'::regnamespace AND NOT i.indisprimary ORDER BY line",
    )
}

/// One line per foreign key: from, to, action on deletion.
fn references(outsider: &mut Outsider) -> Vec<String> {
    lines(
        outsider,
        "SELECT format('%s.%s -> %s.%s %s', m.name, f.\"from\", f.\"table\", f.\"to\", f.on_delete) AS line \
         FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY line",
        "SELECT format('%s.%s -> %s.%s %s', c.conrelid::regclass, a.attname, c.confrelid::regclass, b.attname, \
                CASE c.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' ELSE c.confdeltype::text END) COLLATE \"C\" AS line \
         FROM pg_constraint c \
         JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1] \
         JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[1] \
         WHERE c.contype = 'f' ORDER BY line",
    )
}

/// The standard error of `estimation migrate`, as an error if it fails.
fn migrate(url: &str) -> Result<String, String> {
    let output = run(&["migrate", "--database-url", url]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(told) } else { Err(told) }
}

/// A small reserve file next to an SQLite database.
fn reserve_of(database: &TestDatabase) -> Option<PathBuf> {
    if database.backend() == Backend::Postgres {
        return None;
    }
    let mut path = database.file().into_os_string();
    path.push("-reserve");
    fs::write(&path, "reserve").expect("a reserve");
    Some(path.into())
}

fn migration_names(tree: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(tree);
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the migrations")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    names
}

on_both! {
    async fn migrations_are_applied_once(database: TestDatabase) {
        let database = TestDatabase::empty(database.backend());
        let (url, mut outsider) = (database.url(), database.outsider());
        assert_eq!(migrations::apply(&url).expect("up").len(), migration_names("sqlite").len());
        let whole = columns(&mut outsider);
        assert_eq!(migrations::apply(&url).expect("nothing to do"), Vec::<String>::new());
        assert_eq!(columns(&mut outsider), whole);
    }

    /// The node logs the name of a migration of a newer version, and refuses to start if it is marked as
    /// breaking.
    async fn a_migration_of_a_newer_version(database: TestDatabase) {
        let database = TestDatabase::empty(database.backend());
        let (url, mut outsider) = (database.url(), database.outsider());
        let known = migrations::apply(&url).expect("up").len() as i64;
        assert_eq!(outsider.count("known_migrations WHERE NOT breaking AND name LIKE '2026-%'"), known);
        outsider.run("INSERT INTO __diesel_schema_migrations (version) VALUES ('29990101000001')").expect("a version");
        let told = migrate(database.url_text()).expect("a version without a name does not stop the start");
        assert!(told.contains("WARN") && told.contains("29990101000001"), "{told}");
        let name = "2999-01-01-000001_colours";
        let named = format!("INSERT INTO known_migrations VALUES ('29990101000001', '{name}', FALSE)");
        outsider.run(&named).expect("a name");
        let told = migrate(database.url_text()).expect("it is not breaking");
        assert!(told.contains("WARN") && told.contains(name), "{told}");
        Database::open(&url, Settings::default()).expect("the database opens");

        outsider.run("UPDATE known_migrations SET breaking = TRUE WHERE version = '29990101000001'").expect("a mark");
        let reserve = reserve_of(&database);
        let refused = Database::open(&url, Settings::default()).map(drop).expect_err("it is breaking");
        assert!(matches!(&refused, StoreError::NewerSchema { migration } if migration == name), "{refused}");
        let told = migrate(database.url_text()).expect_err("it is breaking");
        assert_eq!(told.trim().lines().count(), 1, "{told}");
        assert!(told.contains(name) && told.contains("run that version or a later one"), "{told}");
        if let Some(reserve) = reserve {
            assert_eq!(fs::read(reserve).expect("the reserve"), b"reserve");
        }
    }

    async fn nodes_may_start_at_once(database: TestDatabase) {
        let database = TestDatabase::empty(database.backend());
        let nodes: Vec<_> = (0..6)
            .map(|_| {
                let url = database.url();
                tokio::task::spawn_blocking(move || Database::open(&url, Settings::default()).map(drop))
            })
            .collect();
        for node in nodes {
            node.await.expect("no panic").expect("an open database");
        }
    }

    async fn a_breaking_migration_waits_until_no_node_runs(database: TestDatabase) {
        let store = database.open();
        let refused = async || {
            let asked = store.write(Server, |conn| migrations::refuse_running_nodes(conn, "2027-01-01-000001_cards_breaking"));
            asked.await.err().map(|error| error.to_string())
        };
        assert_eq!(refused().await, None);
        let clock = match database.backend() {
            Backend::Sqlite => "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
            Backend::Postgres => "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
        };
        let mut outsider = database.outsider();
        outsider.run(&format!("INSERT INTO nodes VALUES ('one', {clock}, '0.1.0', 1, 0, 'ready', 0)")).expect("a node");
        let told = refused().await.expect("a refusal");
        assert!(told.starts_with("1 nodes are running, and do not know the migration 2027"), "{told}");
        outsider.run("UPDATE nodes SET seen_at = seen_at - 20000").expect("a node that has stopped");
        assert_eq!(refused().await, None);
    }
}

#[test]
fn the_trees_have_the_same_names() {
    assert_eq!(migration_names("sqlite"), migration_names("postgres"));
}

#[test]
fn the_twins_are_the_same_column_by_column() {
    let shapes = [Backend::Sqlite, Backend::Postgres].map(|backend| {
        let database = TestDatabase::empty(backend);
        migrations::apply(&database.url()).expect("migrations");
        let mut outsider = database.outsider();
        [columns(&mut outsider), indexes(&mut outsider), references(&mut outsider)]
    });
    assert!(shapes[0].iter().all(|lines| !lines.is_empty()));
    assert_eq!(shapes[0], shapes[1]);
}

#[test]
fn the_rust_schema_matches_the_migrations() {
    let database = TestDatabase::empty(Backend::Sqlite);
    migrations::apply(&database.url()).expect("migrations");
    let mut made = BTreeMap::<String, Vec<String>>::new();
    for line in columns(&mut database.outsider()) {
        let [table, _, column, kind, null] = line.splitn(5, ' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let null = if null.starts_with("not null") { "not null" } else { "null" };
        made.entry(table.to_owned()).or_default().push(format!("{column} {kind} {null}"));
    }

    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/store/src/schema.rs");
    let mut written = BTreeMap::<String, Vec<String>>::new();
    let mut table = String::new();
    for line in fs::read_to_string(source).expect("the schema").lines().map(str::trim) {
        if let Some((name, _)) = line.split_once(" (").filter(|_| line.ends_with(") {")) {
            table = name.to_owned();
        } else if let Some((column, kind)) = line.trim_end_matches(',').split_once(" -> ") {
            let bare = kind.trim_start_matches("Nullable<").trim_end_matches('>');
            let name = match bare {
                "Text" => "text",
                "Integer" | "Bool" => "integer",
                "BigInt" => "bigint",
                "Binary" => "bytea",
                other => panic!("{other} is not portable"),
            };
            let null = if kind == bare { "not null" } else { "null" };
            written.entry(table.clone()).or_default().push(format!("{column} {name} {null}"));
        }
    }
    assert_eq!(written, made);
}
