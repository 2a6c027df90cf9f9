import estimation.ApiClient;
import estimation.ApiException;
import estimation.api.AccountsApi;
import estimation.api.GamesApi;
import estimation.api.PlayApi;
import estimation.model.BidCommand;
import estimation.model.Command;
import estimation.model.GameView;
import estimation.model.PassCommand;
import estimation.model.RegisterGuestRequest;
import java.util.List;
import java.util.UUID;

/** A seat at a table, played from {@code legal} with the generated client. */
final class Player {
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
        while (!view.getLegal().isEmpty()) {
            String version = "\"" + view.getVersion() + "\"";
            view = play.postCommand(game, choose(view.getLegal()), version, null, null, null).getGame();
            played++;
        }
        return view;
    }

    /** A bid of at most four tricks, else a pass, else the first legal command. */
    private static Command choose(List<Command> legal) {
        for (Command command : legal) {
            if (command.getActualInstance() instanceof BidCommand bid && bid.getTricks() <= 4) {
                return command;
            }
        }
        for (Command command : legal) {
            if (command.getActualInstance() instanceof PassCommand) {
                return command;
            }
        }
        return legal.get(0);
    }
}
