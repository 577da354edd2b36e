package mentions

import (
	"reflect"
	"testing"

	"github.com/shoenig/test"
)

func TestInText(t *testing.T) {
	b := NewBook(func() []Name { return []Name{{Text: "Duet"}, {Text: "Cursor", Client: "c-2"}} })
	for text, want := range map[string][]Call{
		"":                       nil,
		"hello":                  nil,
		"`@Duet` and @Duettino":  nil,
		"> @Duet quoted":         nil,
		"@Duet: fix it\n- one\n": {{Name: "Duet", Says: "fix it", Rest: "fix it\n- one", First: true}},
		" @Duet hands off":       {{Name: "Duet", Says: "hands off", Rest: "hands off", First: true, Command: HandsOff}},
		"please, @cursor go on\n@Duet you": {
			{Name: "Cursor", Says: "go on", Rest: "go on\n@Duet you", Command: GoOn, To: []string{"c-2"}},
			{Name: "Duet", Says: "you", Rest: "you"},
		},
	} {
		if got := b.InText(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	test.True(t, SameName("Data Duet", "data-duet"))
	test.False(t, SameName("Duet", "Duo"))
}
