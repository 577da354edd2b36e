// Package ydiff holds the differential tests of shared documents: replicas of nbduet, of yjs in a Node process and of
// pycrdt in a Python process run random programs and exchange their updates over a simulated network; at the end all
// must have the same content.
//
// A program is data: steps, each an edit of one replica or an event of the network. Edits refer to cells and positions
// by numbers that each replica takes modulo its size, so that any step can be run, and left out, anywhere. A failing
// program is shrunk by leaving out steps, and printed.
//
// Some programs use raw documents: replicas of yjs and pycrdt write anything that can be written, even malformed cells.
// The others use notebooks: Jupyter's own models of them take part, @jupyter/ydoc of JupyterLab and jupyter_ydoc of the
// server, and are edited through their methods, beginning with notebooks of nbformat's own tests. At the end each model
// must read the document's content, and the file that the server would write must be valid. In all programs nbduet's
// steps are also undone and redone, which must not affect others' edits.
//
// Two networks are simulated. In a star, clients meet through a server as in a room of jupyter-collaboration: both sides
// send step 1 on connecting, the server passes on every update to all clients, including the sender and clients that
// wait for their step 2, and connections break at any time with everything under way. In a mesh each replica sends its
// own updates to each other one, in order for one pair but in no order among pairs, with repetitions and broken links.
//
// Whole notebooks are also compared with Jupyter's models, after each nbduet operation, and with the files that a real
// server writes after programs that were run in its rooms.
//
// Other programs simulate a crowd: two people, each in JupyterLab's model, type, delete, split and add, while two
// clients of an agent write through one replica of nbduet, and undo and redo their edits with session/document/undo.
// Each character that a person types exists once at the end, unless a person has deleted it. Unavoidable losses are told
// apart from that, and counted (crowd_ledger_test.go): Yjs has no move, and a server drops updates of a cell's old copy;
// and text typed into a cell is lost with it if the agent, or the cell's maker, deletes the cell at that moment.
//
// NBDUET_SEEDS is the number of programs (default 2,000), from the seed NBDUET_FIRST_SEED on (default 1); NBDUET_SEED
// runs only the program with that number. NBDUET_CROWDS is the number of crowds (default 500), from NBDUET_FIRST_CROWD
// on, or only NBDUET_CROWD. The Python interpreter is NBDUET_PYTHON, or the one of the virtual environment in the
// repository; Node is found by PATH.
package ydiff
