//! Verifies one history, event by event while it is read. Keeps only what the end needs.

use uuid::Uuid;

use super::body::{self, Body};
use super::dealt::ProvenChance;
use super::finding::{Finding, Rule};
use super::logged::{Adoption, GameBounds};
use super::piece::{End, EventLine, FORMAT, Header, SignatureLine, Status};
use super::replay::Replay;
use super::seeds::SeedCounts;
use super::trust::{SignatureProblem, Trust};
use crate::fairness::{GameSeeds, ServerSeed};
use crate::turn_clock::Deadline;
use crate::{GENESIS, GameEnd, GameStart, RecordTime, chain, ruleset_hash};
use estimation_engine::event::{Event, Standing};
use estimation_engine::game::{Ending, Game, Stage};
use estimation_engine::hex::Hex;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::seat::BySeat;

/// The maximum number of findings per game.
const MAX_FINDINGS: usize = 50;

/// The result of verifying a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The game.
    pub game: Uuid,
    /// The ruleset named in its header.
    pub ruleset: RulesetId,
    /// The number of events.
    pub events: u64,
    /// The last hash.
    pub head: Hex<32>,
    /// The number of deals checked against the seeds.
    pub deals: usize,
    /// How the players of a game that was dealt contributed to the shuffles.
    pub seeds: SeedCounts,
    /// What the start states; none for a game that did not start, or broke the rules before.
    pub started: Option<GameStart>,
    /// Whether the game is over.
    pub over: bool,
    /// The time of the last event, if it could be parsed.
    pub at: Option<RecordTime>,
    /// The standings of `game_finished`, if any.
    pub standings: Option<BySeat<Standing>>,
    /// The signature over its end, if any.
    pub signature: Option<SignatureLine>,
    /// All findings; empty if nothing is wrong.
    pub findings: Vec<Finding>,
}

impl Verdict {
    /// The start and the end of the game.
    pub fn bounds(&self) -> GameBounds<'_> {
        let end = self.over.then_some((self.events, self.head));
        GameBounds { game: self.game, start: self.started.as_ref(), end }
    }

    /// What is wrong with the signature over the end, if anything.
    pub fn signature_problem(&self, trust: &Trust) -> Option<SignatureProblem> {
        let Verdict { game, ruleset, head, events, .. } = *self;
        let statement =
            GameEnd { game, ruleset, head, events, standings: self.standings.as_ref() }.statement();
        match (&self.signature, statement) {
            (None, _) if trust.unsigned => None,
            (None, _) => {
                let detail = "the end of the game is not signed".to_owned();
                Some(SignatureProblem { detail, is_inconclusive: true })
            }
            (Some(signature), Ok(statement)) => trust.problem(&statement, signature),
            (Some(_), Err(error)) => Some(SignatureProblem::wrong(error.to_string())),
        }
    }
}

/// A history that is being verified.
pub struct Verifier<'t> {
    trust: &'t Trust,
    header: Header,
    count: u64,
    seq: u64,
    hash: [u8; 32],
    at: Option<RecordTime>,
    replay: Replay,
    /// Whether an event broke the rules. Later events are not checked against them.
    broken: bool,
    started: Option<GameStart>,
    revealed: Option<Hex<32>>,
    /// The last commitment of the server.
    commitment: Option<Hex<32>>,
    standings: Option<BySeat<Standing>>,
    /// The hash of the ruleset in the first event.
    ruleset: Option<Hex<32>>,
    /// The adoptions of the game in the public log.
    adoptions: Vec<Adoption>,
    findings: Vec<Finding>,
}

impl<'t> Verifier<'t> {
    /// Starts with a header.
    pub fn new(trust: &'t Trust, header: Header) -> Verifier<'t> {
        let mut verifier = Verifier {
            trust,
            header,
            count: 0,
            seq: 0,
            hash: GENESIS,
            at: None,
            replay: Replay::default(),
            broken: false,
            started: None,
            revealed: None,
            commitment: None,
            standings: None,
            ruleset: None,
            adoptions: Vec::new(),
            findings: Vec::new(),
        };
        if verifier.header.format != FORMAT {
            let detail = format!("unknown format {:?}", verifier.header.format);
            verifier.find(None, Rule::Form, detail);
        }
        verifier
    }

    /// Also compares the events with adoptions in the public log.
    #[must_use]
    pub fn with_adoptions(mut self, adoptions: Vec<Adoption>) -> Verifier<'t> {
        self.adoptions = adoptions;
        self
    }

    /// Continues with another trust.
    pub fn trusting<'o>(self, trust: &'o Trust) -> Verifier<'o>
    where
        't: 'o,
    {
        Verifier { trust, ..self }
    }

    /// The game of this history.
    pub fn game_id(&self) -> Uuid {
        self.header.game
    }

    /// The sequence number of the last event.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// The state after the last event; none once an event broke the rules.
    pub fn state(&self) -> Option<&Game> {
        self.replay.game().filter(|_| !self.broken)
    }

    /// What the start states; none before it.
    pub fn started(&self) -> Option<&GameStart> {
        self.started.as_ref()
    }

    /// When the service must act by itself after the last event; none if it need not, or once an event broke the rules.
    pub fn deadline(&self) -> Option<Deadline> {
        self.replay.deadline().filter(|_| !self.broken)
    }

    /// The hash and time of the last event.
    pub fn position(&self) -> ([u8; 32], Option<RecordTime>) {
        (self.hash, self.at)
    }

    /// Adds a finding from outside the history.
    pub fn find(&mut self, seq: Option<u64>, rule: Rule, detail: impl Into<String>) {
        self.add(Finding::new(Some(self.header.game), seq, rule, detail));
    }

    /// Adds a finding about something that is missing, which proves no tampering.
    fn find_missing(&mut self, seq: u64, detail: impl Into<String>) {
        self.add(Finding::inconclusive(Some(self.header.game), Some(seq), Rule::Unfinished, detail));
    }

    fn add(&mut self, finding: Finding) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        }
    }

    /// Verifies the next event.
    pub fn event(&mut self, line: &EventLine) {
        let due = self.seq.saturating_add(1);
        let seq = line.seq;
        if seq != due {
            self.find(Some(due), Rule::Order, format!("expected event {due}, found event {seq}"));
            self.broken = true;
        }
        self.count += 1;
        self.seq = seq;
        let computed = chain(self.hash, line.body.as_bytes());
        match Hex::<32>::parse(&line.hash) {
            Some(Hex(stated)) => {
                if stated != computed {
                    self.find(
                        Some(seq),
                        Rule::Chain,
                        "the hash is not that of the stored text and the hash before it",
                    );
                }
                // Continue with the stated hash, so that only the changed event is reported.
                self.hash = stated;
            }
            None => {
                self.find(Some(seq), Rule::Form, "the hash is not 64 lower-case hexadecimal digits");
                self.hash = computed;
            }
        }
        self.check_adoptions(seq);
        let (body, wrong) = body::read(&line.body);
        if let Some((rule, detail)) = wrong {
            self.find(Some(seq), rule, detail);
        }
        if seq == 1 {
            self.ruleset = ruleset_hash(&line.body);
        }
        match body {
            Some(body) => self.judge(seq, &body),
            None => self.broken = true,
        }
    }

    /// Compares an event with the adoptions in the public log that name it.
    fn check_adoptions(&mut self, seq: u64) {
        let is_other = |adoption: &&Adoption| adoption.events == seq && adoption.head.0 != self.hash;
        let others: Vec<String> = self
            .adoptions
            .iter()
            .filter(is_other)
            .map(|Adoption { place, .. }| format!("{place} adopts event {seq} with another hash"))
            .collect();
        others.into_iter().for_each(|detail| self.find(None, Rule::Log, detail));
    }

    fn judge(&mut self, seq: u64, body: &Body) {
        if body.game != self.header.game {
            self.find(Some(seq), Rule::Order, format!("the event belongs to game {}", body.game));
        }
        if body.seq != seq {
            self.find(Some(seq), Rule::Order, format!("the event says that it is event {}", body.seq));
        }
        if self.at.is_some_and(|before| body.at < before) {
            self.find(Some(seq), Rule::Time, "the event is earlier than the previous one");
        }
        self.at = self.at.max(Some(body.at));
        self.commitment = match &body.event {
            Event::GameCreated(created) if seq == 1 => Some(created.commitment),
            Event::OpeningFailed(failed) => Some(failed.commitment),
            _ => self.commitment,
        };
        match &body.event {
            Event::GameCreated(created) if seq == 1 && created.ruleset.id != self.header.ruleset => {
                self.find(Some(seq), Rule::Ruleset, format!("the header says {}", self.header.ruleset));
            }
            Event::GameFinished(finished) => {
                self.revealed = Some(finished.server_seed);
                self.standings = Some(finished.standings.clone());
            }
            Event::GameAbandoned { server_seed, .. } => self.revealed = Some(*server_seed),
            _ => {}
        }
        if !self.broken
            && let Err((rule, detail)) = self.replay.take(seq, body.at, body.actor, &body.event)
        {
            self.find(Some(seq), rule, detail);
            self.broken = true;
        }
        if !self.broken
            && let (Event::GameStarted(_), Some(game)) = (&body.event, self.replay.game())
        {
            let start = (body.at, self.hash);
            self.started =
                self.ruleset.map(|rules| GameStart::new(self.header.game, start, &game.table, rules));
        }
    }

    /// Ends a history that was cut off.
    pub fn cut_off(mut self) -> Verdict {
        self.find_missing(self.seq.saturating_add(1), "the history is cut off");
        self.conclude(None)
    }

    /// Ends a history with its end.
    pub fn end(mut self, end: &End) -> Verdict {
        if end.events != self.count {
            let detail = format!("the end says {} events, the history has {}", end.events, self.count);
            self.find(Some(self.seq.saturating_add(1)), Rule::Head, detail);
        }
        if end.head.0 != self.hash {
            self.find(Some(self.seq), Rule::Head, "the head is not the last event's hash");
        }
        if end.standings != self.standings {
            self.find(Some(self.seq), Rule::Standings, "the standings differ from those of the last event");
        }
        self.check_status();
        let (trust, is_over) = (self.trust, self.header.status != Status::Running);
        let mut verdict = self.conclude(end.signature.clone());
        if let Some(problem) = verdict.signature_problem(trust).filter(|_| is_over)
            && verdict.findings.len() < MAX_FINDINGS
        {
            verdict.findings.push(problem.finding(Some(verdict.game), None));
        }
        verdict
    }

    fn check_status(&mut self) {
        if self.broken {
            return;
        }
        let stage = self.replay.game().map(|game| &game.stage);
        let reached = match stage {
            Some(Stage::Over(Ending::Finished { .. })) => Status::Finished,
            Some(Stage::Over(Ending::Abandoned { .. })) => Status::Abandoned,
            _ => Status::Running,
        };
        match (self.header.status, reached) {
            (Status::Running, Status::Running) if !self.trust.running => {
                let detail = "the game still runs: its deals cannot be checked yet";
                self.find_missing(self.seq.saturating_add(1), detail);
            }
            (said, reached) if said == reached => {
                // The history of a running game may end only after a round.
                if reached != Status::Running && !self.replay.is_settled() {
                    self.find(
                        Some(self.seq.saturating_add(1)),
                        Rule::Derived,
                        "the rules derive more than is there",
                    );
                }
            }
            (said, _) => {
                let detail = format!("the header says {said:?}, the events do not").to_lowercase();
                self.find_missing(self.seq.saturating_add(1), detail);
            }
        }
    }

    /// Checks the commitment and every deal, which needs the revealed seed.
    fn conclude(mut self, signature: Option<SignatureLine>) -> Verdict {
        let mut checked = 0;
        if let (Some(revealed), Some(commitment)) = (self.revealed, self.commitment) {
            let seed = ServerSeed::from_bytes(revealed.0);
            if seed.opens(&commitment) {
                checked = self.check_deals(&seed);
            } else {
                self.find(Some(self.seq), Rule::Commitment, "the seed is not the one committed to");
            }
        }
        let over = self.revealed.is_some();
        // The history of a running game may end before the event.
        let missing = self.adoptions.iter().filter(|adoption| over && adoption.events > self.seq);
        let missing: Vec<String> = missing
            .map(|Adoption { place, events, .. }| {
                format!("{place} adopts event {events}, which the history does not have")
            })
            .collect();
        missing.into_iter().for_each(|detail| self.find(None, Rule::Log, detail));
        let dealt = self.replay.game().filter(|_| !self.replay.deals.is_empty());
        let seeds = dealt.map(|game| SeedCounts::of(&game.table)).unwrap_or_default();
        // Deals are checked last, but their findings are sorted before later events'.
        self.findings.sort_by_key(|finding| finding.seq.unwrap_or(u64::MAX));
        self.findings.truncate(MAX_FINDINGS);
        Verdict {
            game: self.header.game,
            ruleset: self.header.ruleset,
            events: self.count,
            head: Hex(self.hash),
            deals: checked,
            seeds,
            started: self.started,
            over,
            at: self.at,
            standings: self.standings,
            signature,
            findings: self.findings,
        }
    }

    fn check_deals(&mut self, seed: &ServerSeed) -> usize {
        let Some(game) = self.replay.game() else { return 0 };
        let seeds = GameSeeds::of(self.header.game, &game.table);
        let mut chance = ProvenChance { seed, seeds, salt: Hex([0; 16]) };
        let wrong: Vec<_> = self
            .replay
            .deals
            .iter()
            .filter_map(|deal| Some((deal.seq, deal.problem(game.rules(), &mut chance)?)))
            .collect();
        // Even after other findings fill the report: the deals of earlier events come before these.
        let found = wrong
            .into_iter()
            .map(|(seq, (rule, detail))| Finding::new(Some(self.header.game), Some(seq), rule, detail));
        self.findings.extend(found);
        self.replay.deals.len()
    }
}
