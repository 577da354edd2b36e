package changelog

// movedIn returns which cells must have been moved for one order to become another, of the same cells: as few as will do.
// places are the indexes, in the order before, of the cells as they stand now.
func movedIn(places []int) (moved []int) {
	from, to := 0, len(places)
	for from < to && places[from] == from {
		from++
	}
	for to > from && places[to-1] == to-1 {
		to--
	}
	if from == to {
		return nil
	}
	// The longest ascending sequence stays.
	var tails []int // of the ascending sequence of each length, the index of the end that is the lowest
	before := make([]int, to-from)
	for i := from; i < to; i++ {
		lo, hi := 0, len(tails)
		for lo < hi {
			if mid := (lo + hi) / 2; places[tails[mid]] < places[i] {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		before[i-from] = -1
		if lo > 0 {
			before[i-from] = tails[lo-1]
		}
		if lo == len(tails) {
			tails = append(tails, i)
		} else {
			tails[lo] = i
		}
	}
	stays := make([]bool, to-from)
	for i := tails[len(tails)-1]; i >= 0; i = before[i-from] {
		stays[i-from] = true
	}
	for i := from; i < to; i++ {
		if !stays[i-from] {
			moved = append(moved, i)
		}
	}
	return moved
}
