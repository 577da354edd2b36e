package ydiff

import "slices"

// shrink returns a smaller program that fails too: it leaves out ever smaller runs of steps, then single operations and
// their texts, while fails accepts the result and tries are left.
func shrink(p program, tries int, fails func(program) bool) program {
	try := func(q program) bool {
		if tries <= 0 {
			return false
		}
		tries--
		if !fails(q) {
			return false
		}
		p = q
		return true
	}
	fewer(p.Steps, func(steps []step) bool {
		q := p
		q.Steps = steps
		return try(q)
	}, func() bool { return tries > 0 })
	for i := range p.Steps {
		for j := len(p.Steps[i].Ops) - 1; j >= 0; j-- {
			if len(p.Steps[i].Ops) > 1 {
				q := p
				q.Steps = slices.Clone(p.Steps)
				q.Steps[i].Ops = slices.Delete(slices.Clone(p.Steps[i].Ops), j, j+1)
				if try(q) {
					continue
				}
			}
			for _, simpler := range simplerOps(p.Steps[i].Ops[j]) {
				q := p
				q.Steps = slices.Clone(p.Steps)
				q.Steps[i].Ops = slices.Clone(p.Steps[i].Ops)
				q.Steps[i].Ops[j] = simpler
				if try(q) {
					break
				}
			}
		}
	}
	return p
}

// simplerOps returns smaller variants of o.
func simplerOps(o op) []op {
	var ops []op
	if o.N != [3]int{} {
		q := o
		q.N = [3]int{}
		ops = append(ops, q)
	}
	switch o.Op {
	case "init":
		if o.V != nil {
			ops = append(ops, op{Op: o.Op})
		}
	case "meta", "nbmeta":
		if o.V != true {
			q := o
			q.V = true
			ops = append(ops, q)
		}
	case "source", "insert", "rewrite", "stream", "set", "cell":
		if len(o.S) > 1 {
			q := o
			q.S = "a"
			ops = append(ops, q)
		}
	}
	return ops
}

// fewer leaves out ever smaller runs of steps that try can do without, while goesOn returns true.
func fewer[S any](steps []S, try func([]S) bool, goesOn func() bool) {
	for size := len(steps) / 2; size > 0; {
		smaller := false
		for i := 0; i < len(steps); {
			left := slices.Delete(slices.Clone(steps), i, min(i+size, len(steps)))
			if try(left) {
				steps, smaller = left, true
			} else {
				i += size
			}
		}
		if !smaller || !goesOn() {
			size /= 2
		}
	}
}
