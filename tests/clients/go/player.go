// Player: a seat at a table, played from `legal` with the generated client.
package main

import (
	"context"
	"fmt"

	"estimation"
)

type player struct {
	api *estimation.APIClient
	ctx context.Context
}

// guest registers a guest and keeps the access token.
func guest(url string) (player, error) {
	config := estimation.NewConfiguration()
	config.Servers = estimation.ServerConfigurations{{URL: url}}
	api := estimation.NewAPIClient(config)
	request := api.AccountsAPI.RegisterGuest(context.Background())
	answer, _, err := request.RegisterGuestRequest(*estimation.NewRegisterGuestRequest()).Execute()
	if err != nil {
		return player{}, err
	}
	ctx := context.WithValue(context.Background(), estimation.ContextAccessToken, answer.Session.AccessToken)
	return player{api, ctx}, nil
}

// act posts commands as long as it is this player's turn, and returns the last view and the number of commands.
func (p player) act(game string) (*estimation.GameView, int, error) {
	view, _, err := p.api.GamesAPI.GetGame(p.ctx, game).Execute()
	played := 0
	for err == nil && len(view.Legal) > 0 {
		version := fmt.Sprintf("\"%d\"", view.Version)
		request := p.api.PlayAPI.PostCommand(p.ctx, game).IfMatch(version).Command(choose(view.Legal))
		var answer *estimation.CommandAnswer
		if answer, _, err = request.Execute(); err == nil {
			view = answer.Game
			played++
		}
	}
	return view, played, err
}

// choose picks a bid of at most four tricks, else a pass, else the first legal command.
func choose(legal []estimation.Command) estimation.Command {
	for _, command := range legal {
		if command.BidCommand != nil && command.BidCommand.Tricks <= 4 {
			return command
		}
	}
	for _, command := range legal {
		if command.PassCommand != nil {
			return command
		}
	}
	return legal[0]
}
