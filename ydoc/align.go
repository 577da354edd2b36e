package ydoc

import (
	"unicode/utf16"

	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// place returns the offset in now that corresponds to the offset off in was.
func place(was, now string, off int) int {
	shift := 0
	for _, ed := range alignment(was, now) {
		ins := textdiff.UTF16Len(ed.Ins)
		switch {
		case ed.Pos+ed.Del <= off:
			shift += ins - ed.Del
		case ed.Pos < off:
			return ed.Pos + shift + ins
		}
	}
	return off + shift
}

// kept returns the stretches of was between from and to that are unchanged in now. Each stretch is its start in now,
// its end in now, and its start in was.
func kept(was, now string, from, to int) (stretches [][3]int) {
	add := func(end, shift int) {
		if end = min(end, to); from < end {
			stretches = append(stretches, [3]int{from + shift, end + shift, from})
		}
	}
	shift := 0
	for _, ed := range alignment(was, now) {
		add(ed.Pos, shift)
		from = max(from, ed.Pos+ed.Del)
		shift += textdiff.UTF16Len(ed.Ins) - ed.Del
	}
	add(to, shift)
	return stretches
}

// maxAligned bounds the cost of comparing a changed stretch character by character.
const maxAligned = 250_000

// alignment returns the edits from was to now, character by character where that is cheap: a stretch that a person
// would see as one change may contain unchanged characters that another client has edited.
func alignment(was, now string) (edits []textdiff.Edit) {
	for _, ed := range textdiff.Diff(was, now) {
		from := textdiff.ByteOffset(was, ed.Pos)
		old, made := []rune(was[from:textdiff.ByteOffset(was, ed.Pos+ed.Del)]), []rune(ed.Ins)
		if len(old) == 0 || len(made) == 0 || len(old)*len(made) > maxAligned {
			edits = append(edits, ed)
			continue
		}
		edits = append(edits, byCharacter(ed.Pos, old, made)...)
	}
	return edits
}

// byCharacter returns the edits at pos that turn old into made and leave the most characters unchanged.
func byCharacter(pos int, old, made []rune) (edits []textdiff.Edit) {
	width := len(made) + 1
	common := make([]int, (len(old)+1)*width) // common[i*width+j] is the length for old[i:] and made[j:]
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(made) - 1; j >= 0; j-- {
			if old[i] == made[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	ed := textdiff.Edit{Pos: pos}
	flush := func() {
		if ed.Del > 0 || ed.Ins != "" {
			edits = append(edits, ed)
		}
	}
	i, j := 0, 0
	for i < len(old) || j < len(made) {
		switch {
		case i < len(old) && j < len(made) && old[i] == made[j]:
			flush()
			ed = textdiff.Edit{Pos: ed.Pos + ed.Del + utf16.RuneLen(old[i])}
			i, j = i+1, j+1
		case j == len(made) || i < len(old) && common[(i+1)*width+j] >= common[i*width+j+1]:
			ed.Del += utf16.RuneLen(old[i])
			i++
		default:
			ed.Ins += string(made[j])
			j++
		}
	}
	flush()
	return edits
}
