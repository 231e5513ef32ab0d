package weir.e2e;

import java.util.Map;
import java.util.TreeMap;

/** The input of the test, made by rule so that producer and verifier need not talk: line n is always the same. */
final class Words {
    private static final int DIFFERENT_WORDS = 97;

    private Words() { }

    /** One to three words. */
    static String line(final int number) {
        final StringBuilder line = new StringBuilder(word(number));
        for (int i = 1; i <= number % 3; i++) {
            line.append(' ').append(word(number * 31 + i * 17));
        }
        return line.toString();
    }

    /** How often each word occurs in the first `lines` lines. */
    static Map<String, Long> counts(final int lines) {
        final Map<String, Long> counts = new TreeMap<>();
        for (int number = 0; number < lines; number++) {
            for (final String word : line(number).split(" ")) {
                counts.merge(word, 1L, Long::sum);
            }
        }
        return counts;
    }

    private static String word(final int number) {
        return "word-" + number % DIFFERENT_WORDS;
    }
}
