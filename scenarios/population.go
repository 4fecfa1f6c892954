package scenarios

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/understudy-sandbox/understudy/fixtures"
)

// LoadPopulation returns the population of a name: nil for plain, mix, or what a file has, over the mix. Its error for an invalid file
// is [Problems].
func LoadPopulation(name string) (*fixtures.Population, error) {
	switch name {
	case "", "plain":
		return nil, nil
	case "mix":
		return fixtures.NewPopulation(nil)
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%q is neither plain nor mix nor a file", name)
	}
	if err != nil {
		return nil, err
	}
	return fixtures.NewPopulation(func(p *fixtures.Population) error {
		p.Name, p.Text = name, text
		if problems := Decode(name, text, p); problems.Errors() > 0 {
			return problems
		}
		return nil
	})
}
