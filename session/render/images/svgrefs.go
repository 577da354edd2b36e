package images

import (
	"errors"
	"fmt"
	"regexp"
)

const (
	// maxDrawn bounds the elements of an SVG with all references followed.
	maxDrawn = 1_000_000
	// maxFollowed bounds the work of counting them.
	maxFollowed = 5_000_000
)

// references count the elements of an SVG with all references followed: ten elements that each use the next one ten
// times are ten billion.
type references struct {
	spans []span
	byID  map[string]int // the index of the first element with the id
	refs  []string       // the ids that elements refer to, in document order
	seen  int            // elements so far
	work  int            // references followed so far
}

// span is an element with its content.
type span struct {
	from, to       int // elements
	refFrom, refTo int // references
	drawn          int // elements with references followed; 0 if not counted yet
	counting       bool
}

// element begins an element.
func (r *references) element() int {
	r.spans = append(r.spans, span{from: r.seen, refFrom: len(r.refs)})
	r.seen++
	return len(r.spans) - 1
}

// end ends an element.
func (r *references) end(i int) { r.spans[i].to, r.spans[i].refTo = r.seen, len(r.refs) }

// name gives an element an id.
func (r *references) name(i int, id string) {
	if r.byID == nil {
		r.byID = map[string]int{}
	}
	if _, ok := r.byID[id]; !ok {
		r.byID[id] = i
	}
}

// add notes a reference of the last begun element to another element.
func (r *references) add(id string) { r.refs = append(r.refs, id) }

var partOf = regexp.MustCompile(`(?i)url\(\s*["']?#([^"'()\s]+)`)

// addURLs notes the references in an attribute's value or a style sheet.
func (r *references) addURLs(css string) {
	for _, m := range partOf.FindAllStringSubmatch(css, -1) {
		r.add(m[1])
	}
}

// check refuses an SVG with too many elements to draw, or with a cycle.
func (r *references) check() error {
	if len(r.spans) == 0 || len(r.refs) == 0 {
		return nil
	}
	_, err := r.count(0, 0)
	return err
}

func (r *references) count(i, depth int) (int, error) {
	s := &r.spans[i]
	switch {
	case s.drawn > 0:
		return s.drawn, nil
	case s.counting:
		return 0, errors.New("a part of it refers to itself")
	case depth > maxDepth:
		return 0, fmt.Errorf("its references are nested more than %d deep", maxDepth)
	}
	s.counting = true
	n := s.to - s.from
	for _, id := range r.refs[s.refFrom:s.refTo] {
		if r.work++; r.work > maxFollowed {
			return 0, errors.New("it has too many references to follow")
		}
		to, ok := r.byID[id]
		if !ok {
			continue
		}
		drawn, err := r.count(to, depth+1)
		if err != nil {
			return 0, err
		}
		if n += drawn; n > maxDrawn {
			return 0, fmt.Errorf("it has more than %d elements when its references are followed", maxDrawn)
		}
	}
	s.counting, s.drawn = false, n
	return n, nil
}
