package images

import (
	"errors"
	"fmt"
	"image/color"
	"strings"
	"sync"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

func origin(session, cell string) Origin {
	return Origin{Session: session, Path: jupyter.MustPath("a.ipynb"), FileID: "f", CellID: cell, Line: "plot()"}
}

func TestStore(t *testing.T) {
	s := NewStore(0)
	data := encode64(pngOf(t, plain(4, 3, color.White)))
	first, img, err := s.Add(origin("me", "c1"), "image/png", data)
	if err != nil || first.Width != 4 || first.Bytes != len(img.Data) || first.MIME != "image/png" {
		t.Fatalf("%v, %+v", err, first)
	}
	if want := "jupyter://sessions/me/images/" + first.ID + ".png"; first.URI() != want {
		t.Errorf("%s, want %s", first.URI(), want)
	}
	// The same again, with line ends as in a file, is the same; from another cell or for another session it is not.
	again, _, err := s.Add(Origin{Session: "me", CellID: "c1"}, "image/png", data[:30]+"\n"+data[30:]+"\n")
	if err != nil || again.URI() != first.URI() || again.Line != "plot()" {
		t.Errorf("%v, %+v", err, again)
	}
	second, _, err := s.Add(origin("me", "c2"), "image/png", data)
	if err != nil || second.ID == first.ID {
		t.Errorf("%v, %+v", err, second)
	}
	other, _, err := s.Add(origin("a/b?c", "c1"), "image/png", data)
	if err != nil || !strings.HasPrefix(other.URI(), "jupyter://sessions/a%2Fb%3Fc/images/") {
		t.Errorf("%v, %s", err, other.URI())
	}
	session, id, err := ParseURI(other.URI())
	if err != nil || session != "a/b?c" || id != other.ID {
		t.Errorf("%v, %q, %q", err, session, id)
	}
	if e, img, ok := s.Find("me", first.ID); !ok || img.Width != 4 || e.CellID != "c1" {
		t.Errorf("%v, %+v", ok, e)
	}
	if _, _, ok := s.Find("you", first.ID); ok {
		t.Error("another session's image is found")
	}
	if _, _, err := s.Add(origin("me", "c3"), "image/png", "%%%"); err == nil {
		t.Error("what is no image is one")
	}
	if list, next := s.List([]string{"me"}, 0, 10); next != 0 || len(list) != 2 || list[0].ID != second.ID {
		t.Errorf("%d, %+v", next, list)
	}
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
		if len(cells) == 10 { // one that comes meanwhile is not on a later page
			if _, _, err := s.Add(origin("me", "new"), "image/png", data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(cells) != 25 || cells[0] != "24" || cells[24] != "0" {
		t.Errorf("%v", cells)
	}
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
		if _, img, ok := s.Find("me", ids[i]); !ok || (img.Data != nil) != there {
			t.Errorf("image %d: known %v, %d bytes", i, ok, len(img.Data))
		}
	}
	// One that is larger than all is shown and not kept.
	large := encode64(pngOf(t, noise(200, 200)))
	e, img, err := s.Add(origin("me", "large"), "image/png", large)
	if err != nil || img.Data == nil {
		t.Fatal(err)
	}
	if p, err := s.Show(t.Context(), e, img, Limits{Bytes: 1 << 20}); err != nil || p.Width != 200 {
		t.Errorf("%v, %+v", err, p)
	}
	if _, img, ok := s.Find("me", e.ID); !ok || img.Data != nil {
		t.Error("it is kept")
	}
}

// A picture is made once, and so is a refusal.
func TestStoreShows(t *testing.T) {
	s := NewStore(0)
	whole := pngOf(t, noise(100, 100))
	e, img, err := s.Add(origin("me", "c"), "image/png", encode64(whole[:len(whole)/2]))
	if err != nil {
		t.Fatal(err)
	}
	lim := Limits{Bytes: 1 << 20}
	_, err = s.Show(t.Context(), e, img, lim)
	if _, again := s.Show(t.Context(), e, Image{}, lim); err == nil || !errors.Is(again, err) {
		t.Errorf("%v, then %v", err, again)
	}
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
	if p, err := s.Show(t.Context(), e, Image{}, lim); err != nil || p.Width != 100 {
		t.Errorf("%v, %+v", err, p)
	}
}
