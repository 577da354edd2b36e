package images

import (
	"fmt"
	"image/color"
	"sync"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

func origin(session, cell string) Origin {
	return Origin{Session: session, Path: jupyter.MustPath("a.ipynb"), FileID: "f", CellID: cell, Line: "plot()"}
}

func TestStore(t *testing.T) {
	s := NewStore(0)
	data := encode64(pngOf(t, plain(4, 3, color.White)))
	first, img, err := s.Add(origin("me", "c1"), "image/png", data)
	must.NoError(t, err)
	must.Eq(t, 4, first.Width)
	must.Eq(t, len(img.Data), first.Bytes)
	must.Eq(t, "image/png", first.MIME)
	if want := "jupyter://sessions/me/images/" + first.ID + ".png"; first.URI() != want {
		t.Errorf("%s, want %s", first.URI(), want)
	}
	// The same image with line ends, as in a file, has the same entry; from another cell or for another session it does
	// not.
	again, _, err := s.Add(Origin{Session: "me", CellID: "c1"}, "image/png", data[:30]+"\n"+data[30:]+"\n")
	must.NoError(t, err)
	test.Eq(t, first.URI(), again.URI())
	test.Eq(t, "plot()", again.Line)
	second, _, err := s.Add(origin("me", "c2"), "image/png", data)
	must.NoError(t, err)
	test.NotEq(t, first.ID, second.ID)
	other, _, err := s.Add(origin("a/b?c", "c1"), "image/png", data)
	must.NoError(t, err)
	test.StrHasPrefix(t, "jupyter://sessions/a%2Fb%3Fc/images/", other.URI())
	session, id, err := ParseURI(other.URI())
	must.NoError(t, err)
	test.Eq(t, "a/b?c", session)
	test.Eq(t, other.ID, id)
	e, img, ok := s.Find("me", first.ID)
	must.True(t, ok)
	test.Eq(t, 4, img.Width)
	test.Eq(t, "c1", e.CellID)
	if _, _, ok := s.Find("you", first.ID); ok {
		t.Error("another session's image is found")
	}
	if _, _, err := s.Add(origin("me", "c3"), "image/png", "%%%"); err == nil {
		t.Error("what is no image is one")
	}
	list, next := s.List([]string{"me"}, 0, 10)
	test.Eq(t, 0, next)
	must.SliceLen(t, 2, list)
	test.Eq(t, second.ID, list[0].ID)
}

func TestParseURIRefuses(t *testing.T) {
	for _, uri := range []string{
		"", "http://x/", "jupyter://sessions/a", "jupyter://sessions/a/images/", "jupyter://sessions/a/images/b",
		"jupyter://sessions/a/images/b.", "jupyter://sessions/a/images/../b.png", "jupyter://sessions/%zz/images/a.png",
	} {
		if s, id, err := ParseURI(uri); err == nil {
			t.Errorf("%q is %q, %q", uri, s, id)
		}
	}
}

func TestStorePages(t *testing.T) {
	s := NewStore(0)
	data := encode64(pngOf(t, plain(4, 3, color.White)))
	for i := range 25 {
		if _, _, err := s.Add(origin("me", fmt.Sprint(i)), "image/png", data); err != nil {
			t.Fatal(err)
		}
	}
	var cells []string
	for at := uint64(0); ; {
		list, next := s.List([]string{"me"}, at, 10)
		for _, e := range list {
			cells = append(cells, e.CellID)
		}
		if at = next; at == 0 {
			break
		}
		if len(cells) == 10 { // a new one is not on a later page
			if _, _, err := s.Add(origin("me", "new"), "image/png", data); err != nil {
				t.Fatal(err)
			}
		}
	}
	must.SliceLen(t, 25, cells)
	test.Eq(t, "24", cells[0])
	test.Eq(t, "0", cells[24])
}

// The least recently used bytes are evicted; the entry stays.
func TestStoreLetsGo(t *testing.T) {
	png := pngOf(t, noise(50, 50))
	s := NewStore(4 * len(png))
	var ids []string
	for i := range 6 {
		e, _, err := s.Add(origin("me", fmt.Sprint(i)), "image/png", encode64(png))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.ID)
		if s.held > s.most {
			t.Errorf("%d bytes are held, of %d", s.held, s.most)
		}
		s.Find("me", ids[0]) // in use
	}
	for i, there := range []bool{true, false, false, false, true, true} {
		_, img, ok := s.Find("me", ids[i])
		must.True(t, ok, must.Sprint(i, len(img.Data)))
		test.Eq(t, there, img.Data != nil, test.Sprint(i, len(img.Data)))
	}
	// An image larger than the whole cache is shown and not kept.
	large := encode64(pngOf(t, noise(200, 200)))
	e, img, err := s.Add(origin("me", "large"), "image/png", large)
	must.NoError(t, err)
	must.NotNil(t, img.Data)
	p, err := s.Show(t.Context(), e, img, Limits{Bytes: 1 << 20})
	must.NoError(t, err)
	test.Eq(t, 200, p.Width)
	_, img, ok := s.Find("me", e.ID)
	must.True(t, ok, must.Sprint("it is kept"))
	test.Nil(t, img.Data, test.Sprint("it is kept"))
}

// A picture is made once, as is a refusal.
func TestStoreShows(t *testing.T) {
	s := NewStore(0)
	whole := pngOf(t, noise(100, 100))
	e, img, err := s.Add(origin("me", "c"), "image/png", encode64(whole[:len(whole)/2]))
	if err != nil {
		t.Fatal(err)
	}
	lim := Limits{Bytes: 1 << 20}
	_, err = s.Show(t.Context(), e, img, lim)
	_, again := s.Show(t.Context(), e, Image{}, lim)
	must.Error(t, err)
	test.ErrorIs(t, again, err)
	e, img, err = s.Add(origin("me", "c"), "image/png", encode64(whole))
	if err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			if p, err := s.Show(t.Context(), e, img, lim); err != nil || p.Width != 100 {
				t.Errorf("%v, %+v", err, p)
			}
		})
	}
	calls.Wait()
	p, err := s.Show(t.Context(), e, Image{}, lim)
	must.NoError(t, err)
	test.Eq(t, 100, p.Width)
}
