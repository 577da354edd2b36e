// Package deploy checks the files of deploy/: Compose and Kubernetes read them without errors, the hub reads its
// configuration, and the program starts with the environment of nbduet's containers.
package deploy
