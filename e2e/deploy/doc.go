// Package deploy holds the files of deploy/ against what they are for: Compose and Kubernetes read them without a complaint,
// the hub reads its configuration, and what nbduet's containers get is what the program, started with it, takes.
package deploy
