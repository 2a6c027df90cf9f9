// Plays a whole game against itself: `play URL RULESET`. Then it reads the game back: scores, events, the list and a
// problem.
package main

import (
	"errors"
	"fmt"
	"os"

	"estimation"
)

func main() {
	if err := run(os.Args[1], estimation.KnownRulesetId(os.Args[2])); err != nil {
		fmt.Fprintln(os.Stderr, err)
		var refused *estimation.GenericOpenAPIError
		if errors.As(err, &refused) {
			fmt.Fprintln(os.Stderr, string(refused.Body()))
		}
		os.Exit(1)
	}
}

func run(url string, ruleset estimation.KnownRulesetId) error {
	body := estimation.NewCreateGameRequest(ruleset)
	body.SetPlayers(4)
	if ruleset == estimation.KNOWNRULESETID_NINETEEN {
		body.SetPlayers(2)
	} else {
		options := estimation.NewRequestedOptions()
		options.SetLength("micro")
		body.SetOptions(*options)
	}
	players := make([]player, body.GetPlayers())
	var view *estimation.GameView
	for i := range players {
		var err error
		if players[i], err = guest(url); err != nil {
			return err
		}
		games, ctx := players[i].api.GamesAPI, players[i].ctx
		if i == 0 {
			view, _, err = games.CreateGame(ctx).CreateGameRequest(*body).Execute()
		} else {
			view, _, err = games.JoinGame(ctx, view.Id).JoinRequest(*estimation.NewJoinRequest()).Execute()
		}
		if err != nil {
			return err
		}
	}
	host := players[0]
	view, _, err := host.api.GamesAPI.StartGame(host.ctx, view.Id).Execute()
	if err != nil {
		return err
	}
	commands := 0
	for turn := 0; view.Status != "finished"; turn++ {
		var played int
		if view, played, err = players[turn%len(players)].act(view.Id); err != nil {
			return err
		}
		commands += played
		if turn > 10_000 {
			return fmt.Errorf("the game is %s after %d commands", view.Status, commands)
		}
	}
	if err := host.readBack(view.Id); err != nil {
		return err
	}
	fmt.Printf("%s: %d commands, totals %v\n", ruleset, commands, view.Scores.Totals)
	return nil
}

// readBack reads what an app shows after a game, and checks that each answer is complete.
func (p player) readBack(game string) error {
	sheet, _, err := p.api.PlayAPI.GetScores(p.ctx, game).Execute()
	if err != nil {
		return err
	}
	if sheet.Status != "finished" || len(sheet.Rounds) == 0 || len(sheet.Rounds[0].Seats) != len(sheet.Totals) {
		return errors.New("the score sheet is incomplete")
	}
	events, _, err := p.api.PlayAPI.ListEvents(p.ctx, game).Execute()
	if err != nil {
		return err
	}
	if len(events.Items) == 0 || events.Items[0].Event.Type != "game_created" {
		return errors.New("the first event is not game_created")
	}
	list, _, err := p.api.GamesAPI.ListGames(p.ctx).Mine(true).Execute()
	if err != nil {
		return err
	}
	if len(list.Items) == 0 || list.Items[0].Id != game {
		return errors.New("the list does not have the game")
	}
	_, _, err = p.api.GamesAPI.StartGame(p.ctx, game).Execute()
	var refused *estimation.GenericOpenAPIError
	if !errors.As(err, &refused) {
		return errors.New("a second start was not refused")
	}
	if problem, ok := refused.Model().(estimation.Problem); !ok || problem.Code == "" {
		return fmt.Errorf("the problem was not decoded: %s", refused.Body())
	}
	return nil
}
