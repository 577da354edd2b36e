package clients_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/nbduet/nbduet/cmd/nbduet/clients"
)

func Example() {
	m := clients.Machine{
		GOOS: "linux", Home: "/home/ada", Program: "/opt/nbduet", Data: "/home/ada/.local/share/nbduet",
		Env:  func(string) string { return "" },
		Look: func(string) (string, error) { return "", exec.ErrNotFound },
	}
	config := clients.Config{URL: "http://localhost:8888", Token: "secret"} // Write: true would write it
	if err := config.Run([]string{"vscode"}, m, os.Stdout, io.Discard); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//   "servers": {
	//     "nbduet": {
	//       "type": "stdio",
	//       "command": "/opt/nbduet",
	//       "args": [],
	//       "env": {
	//         "JUPYTER_SERVER_URL": "http://localhost:8888",
	//         "JUPYTER_TOKEN_FILE": "/home/ada/.local/share/nbduet/tokens/localhost-8888"
	//       }
	//     }
	//   }
	// }
}
