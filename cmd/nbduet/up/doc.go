// Package up starts a JupyterLab for a folder, with the real-time collaboration that clients need, and ends it again: the
// command nbduet up.
//
// It uses an existing JupyterLab: that of the active environment, of the folder, or of PATH. If none fits, it creates its
// own environment, once for each user and version of Python, with uv if that is installed, and otherwise with Python's venv
// and pip. The installed packages are pinned by hashes (requirements.txt, which lock.sh makes).
//
// Concurrent commands do not interfere: one lock is for the folder, held until its server answers, and one is for the
// environment, held while it is created. Both are system locks, so a killed process leaves no lock behind. An environment
// gets a mark when it is complete; without the mark it is created again.
package up

//go:generate ./lock.sh
