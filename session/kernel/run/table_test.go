package run

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// If there are too many runs, the owner with the most runs loses one, not the owner of the oldest run.
func TestRunsOfOneOwnerDoNotPushOutAnothers(t *testing.T) {
	table := NewTable(TableConfig{})
	add := func(owner string) *Run {
		r := &Run{}
		table.add(r, Options{Owner: owner})
		return r
	}
	quiet := add("quiet")
	quiet.end(Done, nil)
	first := add("noisy")
	first.end(Done, nil)
	for range 3 * runsKept {
		add("noisy").end(Done, nil)
	}
	if _, ok := table.Run(quiet.ID); !ok {
		t.Error("the other owner's run was forgotten")
	}
	_, ok := table.Run(first.ID)
	test.False(t, ok)
	test.SliceLen(t, runsKept, table.Runs(jupyter.Path{}))
}

// The runs of an owner that leaves are dropped, current ones when they have ended; other owners' runs stay.
func TestRunsOfAnOwnerWhoLeaves(t *testing.T) {
	table := NewTable(TableConfig{})
	add := func(owner string) *Run {
		r := &Run{}
		table.add(r, Options{Owner: owner})
		return r
	}
	ended, going, others := add("a"), add("a"), add("b")
	ended.end(Done, nil)
	others.end(Done, nil)
	table.Leave("a")
	if _, ok := table.Run(ended.ID); ok {
		t.Error("a run that had ended is remembered")
	}
	if _, ok := table.Run(going.ID); !ok {
		t.Error("a run that goes on was forgotten")
	}
	going.end(Done, nil)
	got := table.Runs(jupyter.Path{})
	must.SliceLen(t, 1, got)
	test.EqOp(t, others, got[0])
	test.LessEq(t, 0, len(table.orphan))
}

// If code requests input again before its question is answered, the run waits for the answer to the later one.
func TestQuestionInPlaceOfAnother(t *testing.T) {
	r := &Run{}
	NewTable(TableConfig{}).add(r, Options{})
	_, changed := r.asker()
	first, second := r.vacate(changed), r.vacate(changed)
	<-r.Unasked()
	r.setAsking(&Question{})
	must.NoError(t, r.Answer("line", false))
	_, answered := r.close(first)
	test.False(t, answered)
	line, answered := r.close(second)
	test.True(t, answered)
	test.Eq(t, "line", line)
}
