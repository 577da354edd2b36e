// Package up starts a JupyterLab for a folder, with the real-time collaboration that clients need, and ends it again: the
// command nbduet up.
//
// It takes the JupyterLab that somebody has at hand: that of the active environment, of the folder's, or of PATH. Where there
// is none that is fit, it makes an environment of its own, once for each user and version of Python, with uv where that is
// there, and else with Python's venv and pip. What it installs is pinned by hashes (requirements.txt, which lock.sh makes).
//
// Two of these commands never get in each other's way: one lock is for the folder, held until its server answers, and one is
// for the environment, held while that is made. Both are the system's, so that nothing is left of a process that was killed.
// An environment gets a mark when it is whole; one without is made anew.
package up

//go:generate ./lock.sh
