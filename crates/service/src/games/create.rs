//! Opening a table.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bots::schedule;
use super::change::TRIES;
use super::commit::{AppendAudience, CommitResult, actors, chained};
use super::view::GameView;
use super::{Games, LoadedGame};
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::auth::keys::head::bind_head;
use crate::base::failure::{Failure, milliseconds};
use crate::base::ids::new_id;
use crate::base::prerendered::Prerendered;
use crate::games::idempotency::{Admission, IdempotencyKey, IdempotentResult, PriorOutcome, Reservation};
use crate::rulesets::{RulesetSummary, agreed, seconds_within};
use estimation_engine::command::Actor;
use estimation_engine::event::{Event, GameCreated, Visibility};
use estimation_engine::evolve::evolve;
use estimation_engine::game::{Game, GameStatus};
use estimation_engine::hex::Hex;
use estimation_engine::player::{AccountId, BotLevel};
use estimation_engine::ruleset::Ruleset;
use estimation_engine::seat::Place;
use estimation_engine::table::{Decided, TableCommand, decide_table, open};
use estimation_record::fairness::{ALGORITHM, SeededChance, ServerSeed};
use estimation_record::turn_clock::{TimedAction, TurnClock};
use estimation_record::verify::{TURN_SECONDS, opening_seconds as opening_range};
use estimation_record::{GENESIS, RecordTime, ruleset_hash};
use estimation_store::games::NewGame;
use estimation_store::seeds::SealedSeed;
use estimation_store::{Append, Effect, GameId, StoreError};

/// Digits and capitals of invitation codes, without look-alikes.
const CODE_SIGNS: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

const CODE_LENGTH: usize = 8;

#[derive(Clone, Debug)]
pub struct NewTable {
    pub ruleset: String,
    /// Options that differ from the ruleset's defaults.
    pub options: BTreeMap<String, serde_json::Value>,
    /// `None`: the ruleset's default.
    pub players: Option<u8>,
    pub visibility: Visibility,
    /// Whether accounts without a seat may watch.
    pub spectators: bool,
    /// `None` for no turn limit.
    pub turn_seconds: Option<u32>,
    /// Seconds for opening client seeds; `None` for the service's default, within the limits of the table.
    pub opening_seconds: Option<u32>,
    /// Whether players may react at the table.
    pub talk: bool,
    /// The creator's commitment to a client seed.
    pub seed_commitment: Option<Hex<32>>,
    /// The level of bots that take all other seats, after which the table starts; `None` for a table that waits for players.
    pub bots: Option<BotLevel>,
}

pub(crate) struct Terms {
    pub(crate) ruleset: Ruleset,
    pub(crate) visibility: Visibility,
    pub(crate) spectators: bool,
    pub(crate) turn_seconds: Option<u32>,
    pub(crate) opening_seconds: Option<u32>,
    /// The host's commitment to a client seed.
    pub(crate) seed_commitment: Option<Hex<32>>,
    /// Bots seated from the start, and their slots; never slot 0.
    pub(crate) bots: Vec<(Place, BotLevel)>,
    /// Whether the game, or the opening of the host's client seed, starts at once. All seats are then taken.
    pub(crate) starts: bool,
    pub(crate) rematch_of: Option<GameId>,
    /// Whether players may react at the table.
    pub(crate) talk: bool,
    /// Whether the service fills the table by matchmaking; it then does not count as the host's.
    pub(crate) strangers: bool,
}

impl NewTable {
    /// The requested terms. Errors name every faulty field.
    fn terms(self) -> Result<Terms, Failure> {
        let NewTable { visibility, spectators, turn_seconds, opening_seconds, talk, seed_commitment, .. } =
            self;
        let turn = seconds_within("/turn_seconds", turn_seconds, &TURN_SECONDS);
        let range = opening_range(turn_seconds);
        let opening = seconds_within("/opening_seconds", opening_seconds, &range).filter(|_| turn.is_none());
        let ruleset = agreed(&self.ruleset, self.players, &self.options, turn.or(opening))?;
        let others = (1..ruleset.players).map(Place::new);
        let bots = self.bots.map(|level| others.map(|place| (place, level)).collect());
        Ok(Terms {
            ruleset,
            visibility,
            spectators,
            turn_seconds,
            opening_seconds,
            seed_commitment,
            starts: bots.is_some(),
            bots: bots.unwrap_or_default(),
            rematch_of: None,
            talk,
            strangers: false,
        })
    }
}

/// A new table before it is written.
struct UnwrittenTable {
    append: Append,
    state: Arc<LoadedGame>,
    bot_is_due: bool,
}

pub(super) fn is_invitation_code(text: &str) -> bool {
    text.len() == CODE_LENGTH && text.bytes().all(|sign| CODE_SIGNS.contains(&sign))
}

impl Games {
    /// Opens a table with the caller as host in slot 0.
    ///
    /// # Errors
    /// [`Failure::TooManyTables`] if the caller hosts the maximum of lobby tables, and
    /// [`Suspended`](Failure::Suspended).
    pub async fn create(
        self: &Arc<Games>,
        caller: &Caller,
        table: NewTable,
        once: Option<&IdempotencyKey>,
    ) -> Result<IdempotentResult<GameView>, Failure> {
        caller.restrictions.require_playing(self.clock.now())?;
        match self.idempotency.admit(caller, RequiredAuthority::Playing, once).await? {
            Admission::Fresh(reservation) => self.open_table(caller, table.terms()?, &[], &reservation).await,
            Admission::Replay(past) => self.seated_before(caller, &past).await,
        }
    }

    /// Opens a table under a reservation, and announces it to the caller and the invited accounts.
    pub(crate) async fn open_table(
        self: &Arc<Games>,
        caller: &Caller,
        table: Terms,
        invited: &[AccountId],
        reservation: &Reservation,
    ) -> Result<IdempotentResult<GameView>, Failure> {
        let accounts: Vec<_> = std::iter::once(&caller.account).chain(invited).cloned().collect();
        for _ in 0..TRIES {
            let UnwrittenTable { append, state, bot_is_due } = self.opened(caller, &table, reservation)?;
            let created = CommitResult { state, events: Vec::new() };
            let concerned =
                AppendAudience { accounts: accounts.clone(), invited: invited.to_vec(), bot_is_due };
            match self.conclude(append, created, concerned, reservation).await {
                // One code in 2⁴⁰ is taken, or the public log has an entry later than the start.
                Err(StoreError::JoinCodeTaken | StoreError::LogTimePassed { .. }) => {}
                Err(StoreError::AuthorityChanged) => reservation.renew(&self.database).await?,
                Err(StoreError::KeyTaken) => {
                    return self.seated_before(caller, &self.idempotency.lost_race(reservation).await?).await;
                }
                Err(StoreError::NoAccount { .. }) => return Err(Failure::SessionEnded),
                Err(StoreError::TooManyTables { host, limit }) => {
                    // One of the tables may be this request's own, opened on another node.
                    return match self.idempotency.prior_outcome(reservation).await? {
                        Some(past) => self.seated_before(caller, &past).await,
                        None => Err(Failure::TooManyTables { host, limit }),
                    };
                }
                Err(error) => return Err(error.into()),
                Ok(CommitResult { state, .. }) => {
                    let value = self.view_of(&state, &caller.account).await?;
                    return Ok(IdempotentResult { value, replayed: false });
                }
            }
        }
        Err(Failure::GameBusy)
    }

    /// A new table, with everything to write at once.
    fn opened(
        &self,
        caller: &Caller,
        table: &Terms,
        reservation: &Reservation,
    ) -> Result<UnwrittenTable, Failure> {
        let id = GameId(new_id(self.clock.now(), &*self.entropy));
        let seed = ServerSeed::draw(&*self.entropy);
        let opened_at = RecordTime::of(self.clock.now(), None);
        let at =
            if table.starts { self.public_log.start_time(self.clock.now(), opened_at) } else { opened_at };
        let (game, all) = self.first_events(caller, table, (id, &seed))?;
        let (mut events, hash) =
            chained(id, (0, GENESIS), at, all.iter().map(|(actor, event)| (*actor, event)))?;
        let keys = self.keys.ring().record_keys();
        bind_head(id, &mut events, &keys, self.clock.now())?;
        let turn_clock = TurnClock::opened(at);
        let next = schedule(self.bot_delay, turn_clock, &game, &hash);
        let wake_at = next.map(|next| next.wake_at);
        let version = events.len() as u64;
        let join_code = (table.visibility == Visibility::Private).then(|| self.invitation_code());
        let is_lobby = game.status() == GameStatus::Lobby;
        let mut effects = vec![
            Effect::HostTable {
                account: caller.account.clone(),
                limit: self.tables_per_host.get().filter(|_| is_lobby && !table.strangers),
            },
            Effect::InsertGame(NewGame {
                status: game.status().as_str().to_owned(),
                ruleset: game.rules().id.to_string(),
                visibility: table.visibility.as_str().to_owned(),
                join_code: join_code.clone(),
                host: caller.account.clone(),
                players: game.rules().players.into(),
                taken: 1 + table.bots.len() as i32,
                created_at: milliseconds(at.timestamp()),
                wake_at,
                rematch_of: table.rematch_of,
                talk: table.talk,
                format: self.presence.format_to_write(),
            }),
            Effect::InsertSeed(SealedSeed::new(*seed.expose())),
            Effect::SeatPlayer { place: 0, account: Some(caller.account.clone()), kind: "human".to_owned() },
        ];
        effects.extend(table.bots.iter().map(|(place, _)| Effect::SeatPlayer {
            place: place.index() as i32,
            account: None,
            kind: "bot".to_owned(),
        }));
        let start = all.iter().position(|(_, event)| matches!(event, Event::GameStarted(_)));
        let mut promise = None;
        if let (Some(started), Some(first)) = (start.and_then(|index| events.get(index)), events.first()) {
            let ruleset = ruleset_hash(&first.body);
            let ruleset = ruleset.ok_or_else(|| Failure::Defect(format!("the log of {id} has no rules")))?;
            let start = self.public_log.start(id, &game, (at, started.hash), ruleset)?;
            effects.push(Effect::LogStart(start.stored));
            promise = Some(Arc::new(Prerendered::new(start.promise)));
        }
        effects.extend(reservation.remember(self.clock.now(), id, (1, version)));
        let state = Arc::new(LoadedGame {
            id,
            version,
            hash,
            turn_clock,
            wake_at,
            created_at: at,
            join_code,
            talk: table.talk,
            seed,
            rules: Arc::new(Prerendered::new(RulesetSummary::of(game.rules()))),
            promise,
            common_parts: Arc::default(),
            game,
        });
        let bot_is_due = next.is_some_and(|next| matches!(next.deadline.duty, TimedAction::Bot(_)));
        let append = Append { game: id, previous_hash: GENESIS, events, effects, by: reservation.by() };
        Ok(UnwrittenTable { append, state, bot_is_due })
    }

    /// The events of a new table, with their actors, and the game after them.
    fn first_events(
        &self,
        caller: &Caller,
        table: &Terms,
        (id, seed): (GameId, &ServerSeed),
    ) -> Result<(Game, Vec<(Actor, Event)>), Failure> {
        let created = GameCreated {
            ruleset: table.ruleset.clone(),
            host: caller.account.clone(),
            visibility: table.visibility,
            spectators: table.spectators,
            turn_seconds: table.turn_seconds,
            opening_seconds: table.opening_seconds.unwrap_or_else(|| {
                let range = opening_range(table.turn_seconds);
                self.opening_seconds.clamp(*range.start(), *range.end())
            }),
            algorithm: ALGORITHM.to_owned(),
            commitment: seed.commitment(),
        };
        let mut game = Game::open(&created);
        let Decided { actor, events, .. } = open(created);
        let committed = table.seed_commitment.map(|commitment| {
            let commitment = Some(commitment);
            Event::SeedCommitted { place: Place::new(0), commitment }
        });
        let bots = table.bots.iter().map(|&(place, level)| Event::BotSeated { place, level });
        let more: Vec<Event> = committed.into_iter().chain(bots).collect();
        more.iter().for_each(|event| evolve(&mut game, event));
        let mut all: Vec<_> = events.into_iter().chain(more).map(|event| (actor, event)).collect();
        if table.starts {
            let mut chance = SeededChance::new(id.0, seed.clone(), &game.table, &*self.entropy);
            let start = decide_table(&game, &caller.account, &TableCommand::Start, &mut chance)?;
            start.events.iter().for_each(|event| evolve(&mut game, event));
            all.extend(actors(start.actor, start.leading).zip(start.events));
        }
        Ok((game, all))
    }

    /// The table at the version at which the caller joined it before.
    pub(super) async fn seated_before(
        &self,
        caller: &Caller,
        past: &PriorOutcome,
    ) -> Result<IdempotentResult<GameView>, Failure> {
        let done = self.done_before(caller, past).await?;
        Ok(done.with(self.view_of(&done.value.state, &caller.account).await?))
    }

    pub(super) fn invitation_code(&self) -> String {
        self.draw_code::<CODE_LENGTH>()
    }

    /// A code of so many signs that people can read out.
    pub(crate) fn draw_code<const LENGTH: usize>(&self) -> String {
        let mut bytes = [0; LENGTH];
        self.entropy.fill(&mut bytes);
        bytes.iter().map(|byte| char::from(CODE_SIGNS[usize::from(byte % 32)])).collect()
    }
}
