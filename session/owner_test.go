package session

import "testing"

// The owner that has most runs is who loses one when there are too many, not the one whose run is oldest.
func TestRunsOfOneOwnerDoNotPushOutAnothers(t *testing.T) {
	m := &Manager{}
	add := func(owner string, state RunState) *Run {
		r := &Run{Owner: owner, m: m, done: make(chan struct{}), res: Result{State: state}}
		m.runs.add(r)
		return r
	}
	quiet := add("quiet", Queued)
	quiet.end(Done, nil)
	first := add("noisy", Queued)
	first.end(Done, nil)
	for range 3 * runsKept {
		add("noisy", Queued).end(Done, nil)
	}
	if _, ok := m.Run(quiet.ID); !ok {
		t.Error("the other owner's run was forgotten")
	}
	if _, ok := m.Run(first.ID); ok || len(m.Runs("")) != runsKept {
		t.Errorf("%d runs are remembered", len(m.Runs("")))
	}
}

// The runs of an owner who leaves are forgotten, those that go on when they have ended; the others' stay.
func TestRunsOfAnOwnerWhoLeaves(t *testing.T) {
	m := &Manager{}
	add := func(owner string) *Run {
		r := &Run{Owner: owner, m: m, done: make(chan struct{}), res: Result{State: Queued}}
		m.runs.add(r)
		return r
	}
	ended, going, others := add("a"), add("a"), add("b")
	ended.end(Done, nil)
	others.end(Done, nil)
	if err := m.EndOwner(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Run(ended.ID); ok {
		t.Error("a run that had ended is remembered")
	}
	if _, ok := m.Run(going.ID); !ok {
		t.Error("a run that goes on was forgotten")
	}
	going.end(Done, nil)
	if got := m.Runs(""); len(got) != 1 || got[0] != others || len(m.runs.orphan) > 0 {
		t.Errorf("left are %v", got)
	}
}
