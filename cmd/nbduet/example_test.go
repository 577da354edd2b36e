package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// An MCP client uses the program over stdio: a request is a line on standard input, its answer a line on standard output.
// The program ends with its input.
func Example() {
	toProgram, stdin := io.Pipe()
	stdout, fromProgram := io.Pipe()
	ended := make(chan int)
	go func() {
		code := runProgram(context.Background(), []string{"--jupyter-url", "http://localhost:8888", "--token", "secret", "--toolsets", "notebook"}, toProgram, fromProgram, io.Discard)
		fromProgram.Close()
		ended <- code
	}()

	answers := bufio.NewScanner(stdout)
	for _, request := range []string{
		`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "example", "version": "1"}}}`,
		`{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "nb_path_from_url", "arguments": {"url": "http://localhost:8888/lab/tree/counts.ipynb"}}}`,
	} {
		fmt.Fprintln(stdin, request)
		if !answers.Scan() {
			fmt.Println(answers.Err())
			break
		}
		var answer struct {
			ID     int
			Result struct {
				ServerInfo struct{ Name string }
				Content    []struct{ Text string }
			}
		}
		if err := json.Unmarshal(answers.Bytes(), &answer); err != nil {
			fmt.Println(err)
		}
		said := answer.Result.ServerInfo.Name
		for _, c := range answer.Result.Content {
			said += c.Text
		}
		fmt.Printf("answer %d: %s\n", answer.ID, said)
	}
	stdin.Close()
	fmt.Println("exit code", <-ended)
	// Output:
	// answer 1: nbduet
	// answer 2: {"original_url":"http://localhost:8888/lab/tree/counts.ipynb","base_url":"http://localhost:8888","notebook_path":"counts.ipynb"}
	// exit code 0
}
