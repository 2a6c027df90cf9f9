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
	for err == nil {
		command := choose(view.Legal)
		if command == nil {
			break
		}
		// The server compares the version and the hash alone.
		tag := fmt.Sprintf("\"%d.%s.%016x\"", view.Version, view.Head.Hash[:16], 0)
		request := p.api.PlayAPI.PostCommand(p.ctx, game).IfMatch(tag).Command(*command)
		var answer *estimation.CommandAnswer
		if answer, _, err = request.Execute(); err == nil {
			view = answer.Game
			played++
		}
	}
	return view, played, err
}

// known has the types of commands that this program knows.
var known = map[string]bool{
	"choose_seat": true, "cut": true, "redeal": true, "avoid": true, "enter_auction": true, "blind_dash": true,
	"bid": true, "pass": true, "dash_call": true, "estimate": true, "play": true, "resume": true,
}

// choose picks a bid of at most four tricks, else a pass, else the first legal command of a known type.
func choose(legal []estimation.Command) *estimation.Command {
	var first, pass *estimation.Command
	for i := range legal {
		command := &legal[i]
		if command.Type == "bid" && command.GetTricks() <= 4 {
			return command
		}
		if command.Type == "pass" {
			pass = command
		}
		if first == nil && known[command.Type] {
			first = command
		}
	}
	if pass != nil {
		return pass
	}
	return first
}
