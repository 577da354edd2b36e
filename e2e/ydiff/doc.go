// Package ydiff holds the differential tests of shared documents: random programs are run by replicas of ours, of yjs in
// a Node process and of pycrdt in a Python process, which exchange their updates over a simulated network, and in the
// end all must hold the same.
//
// A program is data: steps, each an edit of one replica or an event of the network. Edits name cells and positions by
// numbers that each replica takes modulo what it has, so that any step can be run, and left out, anywhere. A failing
// program is shrunk by leaving out steps and printed.
//
// Some programs are of raw documents: replicas of yjs and pycrdt write anything that can be written, malformed cells too.
// The others are of notebooks: Jupyter's own models of them take part, @jupyter/ydoc of JupyterLab and jupyter_ydoc of the
// server, and are edited through their methods, beginning with notebooks of nbformat's own tests. In the end each model's
// own reading must be that of the document, and the file that the server would write must be valid. In all of them our
// steps are also undone and redone, which must leave what others have done.
//
// Two networks are simulated. In a star, clients meet through a server as in a room of jupyter-collaboration: both sides
// ask with step 1 on connecting, the server passes on every update to all, the sender included, also to a client that
// waits for its step 2, and connections break at any time with all that was under way. In a mesh each replica sends its
// own updates to each other one, in order for one pair but in no order among pairs, with repetitions and broken links.
//
// Whole notebooks are also held against Jupyter's models, after each of our operations, and against the files that a
// real server writes after programs that were run in its rooms.
//
// Other programs are of a crowd: two people, each in JupyterLab's model, type, delete, split and add, while two clients of
// an agent write through one replica of ours, and take back and make again what they did by session/document/undo. Each character
// that a person types is there once in the end, unless a person has deleted it. What nobody could have kept is told from
// that exactly, and counted (crowd_ledger_test.go): Yjs has no move, and a server drops what it gets for a cell's old
// copy; and what is typed into a cell goes with it where the agent, or who made the cell, deletes it at that moment.
//
// NBDUET_SEEDS is how many programs are run (2,000 unless set), from the seed NBDUET_FIRST_SEED on (1 unless set);
// NBDUET_SEED runs the one with that number. Of crowds NBDUET_CROWDS are run (500 unless set), from NBDUET_FIRST_CROWD on,
// or NBDUET_CROWD alone. The Python interpreter is NBDUET_PYTHON, or that of the virtual environment
// in the repository; Node is found by PATH.
package ydiff
