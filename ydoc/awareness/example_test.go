package awareness_test

import (
	"fmt"
	"time"

	"github.com/nbduet/nbduet/ydoc/awareness"
)

// Two clients of a room: one announces itself, the other sees it until it has been silent for too long.
func ExampleTable() {
	now := time.Now()
	agent, tab := awareness.NewTable(1), awareness.NewTable(2)
	user := awareness.User{Username: "nbduet-1", Name: "AI Agent", DisplayName: "AI Agent", Initials: awareness.Initials("AI Agent")}
	update, err := agent.SetLocal(map[string]any{"user": user, "current": "notebook:counts.ipynb"})
	if err != nil {
		fmt.Println(err)
		return
	}
	changed, err := tab.Apply(update, now)
	fmt.Println(changed, err)
	for _, peer := range tab.Peers() {
		who, _ := peer.User()
		fmt.Println(peer.ClientID, who.DisplayName, who.Initials, peer.Current())
	}
	fmt.Println(tab.Expire(now.Add(awareness.Timeout + time.Second)))
	// Output:
	// [1] <nil>
	// 1 AI Agent AI notebook:counts.ipynb
	// [1]
}
