package activity_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session/store/activity"
)

// A client calls two tools and notes its findings.
func Example() {
	if err := remember(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2 calls, most about counts.ipynb
	// [bikes] Prices are net
}

func remember(ctx context.Context) (err error) {
	store, err := activity.Open(ctx, activity.Options{Path: activity.Memory})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close(ctx)) }()
	client := activity.Client{Key: "connection 1", Owner: "ada", Name: "Claude"}
	store.Called(client, "counts.ipynb")
	store.Called(client, "counts.ipynb", "notes.md")
	if _, err := store.Noted(client, []string{"bikes"}, []activity.Discovery{{Text: "Prices are net"}}); err != nil {
		return err
	}
	session, _ := store.Current(client.Key)
	fmt.Printf("%d calls, most about %s\n", session.ToolCalls, session.Files[0].Path)
	fmt.Println(session.Topics, session.Discoveries[0].Text)
	return nil
}
