import com.fasterxml.jackson.core.JsonProcessingException;
import estimation.ApiClient;
import estimation.ApiException;
import estimation.model.CreateGameRequest;
import estimation.model.EventPage;
import estimation.model.GamePage;
import estimation.model.GameView;
import estimation.model.JoinRequest;
import estimation.model.KnownRulesetId;
import estimation.model.Problem;
import estimation.model.RequestedOptions;
import estimation.model.ScoreSheet;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Plays a whole game against itself: {@code java Play URL RULESET}. Then it reads the game back: scores, events, the
 * list and a problem.
 */
final class Play {
    private Play() {}

    public static void main(String[] arguments) throws ApiException, JsonProcessingException {
        String url = arguments[0];
        KnownRulesetId ruleset = KnownRulesetId.fromValue(arguments[1]);
        boolean nineteen = ruleset == KnownRulesetId.NINETEEN;
        CreateGameRequest body = new CreateGameRequest().ruleset(ruleset).players(nineteen ? 2 : 4);
        if (!nineteen) {
            body.options(new RequestedOptions().length(RequestedOptions.LengthEnum.MICRO));
        }
        List<Player> players = new ArrayList<>();
        for (int i = 0; i < body.getPlayers(); i++) {
            players.add(new Player(url));
        }
        Player host = players.get(0);
        UUID game = host.games.createGame(body, null, null).getId();
        for (Player guest : players.subList(1, players.size())) {
            guest.games.joinGame(game, new JoinRequest(), null, null);
        }
        GameView view = host.games.startGame(game, null, null);
        for (int turn = 0; !view.getStatus().equals("finished"); turn++) {
            check(turn < 10_000, "the game is " + view.getStatus());
            view = players.get(turn % players.size()).act(game);
        }
        readBack(host, game);
        int commands = players.stream().mapToInt(player -> player.played).sum();
        System.out.println(ruleset + ": " + commands + " commands, totals " + view.getScores().getTotals());
    }

    /** Reads what an app shows after a game, and checks that each answer is complete. */
    private static void readBack(Player host, UUID game) throws ApiException, JsonProcessingException {
        ScoreSheet sheet = host.play.getScores(game, null);
        check(sheet.getStatus().equals("finished"), "the score sheet is " + sheet.getStatus());
        check(sheet.getRounds().get(0).getSeats().size() == sheet.getTotals().size(), "a seat has no score");
        EventPage events = host.play.listEvents(game, null, null, null, null);
        check(events.getItems().get(0).getEvent().getType().equals("game_created"), "the first event is another");
        GamePage list = host.games.listGames(null, null, true, null, null, null, null);
        check(list.getItems().get(0).getId().equals(game), "the list does not have the game");
        try {
            host.games.startGame(game, null, null);
            check(false, "a second start was not refused");
        } catch (ApiException refused) {
            Problem problem = ApiClient.createDefaultObjectMapper().readValue(refused.getResponseBody(), Problem.class);
            check(!problem.getCode().isEmpty(), "the problem was not decoded");
        }
    }

    private static void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }
}
