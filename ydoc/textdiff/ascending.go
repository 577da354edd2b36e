package textdiff

import "slices"

// Ascending returns the indexes of the longest ascending subsequence of distinct numbers.
func Ascending(numbers []int) []int {
	var tails []int                   // tails[k] is the index of the number that ends the best series of length k+1
	prev := make([]int, len(numbers)) // the index before each in its series
	for i, number := range numbers {
		k, _ := slices.BinarySearchFunc(tails, number, func(t, number int) int { return numbers[t] - number })
		if k > 0 {
			prev[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	for k := len(tails) - 2; k >= 0; k-- {
		tails[k] = prev[tails[k+1]]
	}
	return tails
}
