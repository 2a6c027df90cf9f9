import estimation.ApiClient;
import estimation.ApiException;
import estimation.api.AccountsApi;
import estimation.api.GamesApi;
import estimation.api.PlayApi;
import estimation.model.Command;
import estimation.model.GameView;
import estimation.model.RegisterGuestRequest;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** A seat at a table, played from {@code legal} with the generated client. */
final class Player {
    /** The types of commands that this program knows. */
    private static final Set<String> KNOWN = Set.of("choose_seat", "cut", "redeal", "avoid", "enter_auction",
            "blind_dash", "bid", "pass", "dash_call", "estimate", "play", "resume");

    final GamesApi games;
    final PlayApi play;
    int played;

    /** Registers a guest and keeps the access token. */
    Player(String url) throws ApiException {
        ApiClient client = new ApiClient();
        client.updateBaseUri(url);
        String token = new AccountsApi(client).registerGuest(new RegisterGuestRequest()).getSession().getAccessToken();
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
        games = new GamesApi(client);
        play = new PlayApi(client);
    }

    /** Posts commands as long as it is this player's turn, and returns the last view. */
    GameView act(UUID game) throws ApiException {
        GameView view = games.getGame(game, null, null);
        for (Command command; (command = choose(view.getLegal())) != null; played++) {
            // The server compares the version and the hash alone.
            String hash = view.getHead().getHash().substring(0, 16);
            String tag = "\"" + view.getVersion() + "." + hash + "." + "0".repeat(16) + "\"";
            view = play.postCommand(game, command, tag, null, null, null).getGame();
        }
        return view;
    }

    /** A bid of at most four tricks, else a pass, else the first legal command of a known type; null if there is none. */
    private static Command choose(List<Command> legal) {
        List<Command> known = legal.stream().filter(command -> KNOWN.contains(command.getType())).toList();
        for (Command command : known) {
            if (command.getType().equals("bid") && command.getTricks() <= 4) {
                return command;
            }
        }
        for (Command command : known) {
            if (command.getType().equals("pass")) {
                return command;
            }
        }
        return known.isEmpty() ? null : known.get(0);
    }
}
