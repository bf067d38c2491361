#!/usr/bin/env python3
"""labels.py SVG DOT: the picture is well-formed, and no label of an arrow lies on another or on a box."""
import sys
import xml.dom.minidom

LETTER, HEIGHT = 6.7, 11  # of the font in the pictures


def number(element, name):
    return float(element.getAttribute(name))


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def main():
    root = xml.dom.minidom.parse(sys.argv[1]).documentElement
    boxes, labels = [], []
    for e in root.getElementsByTagName('rect'):
        if e.getAttribute('stroke'):
            x, y = number(e, 'x'), number(e, 'y')
            boxes.append((x, y, x + number(e, 'width'), y + number(e, 'height')))
    for e in root.getElementsByTagName('text'):
        if e.getAttribute('class') == 'edge':
            text = e.firstChild.data
            half = len(text) * LETTER / 2
            x, y = number(e, 'x'), number(e, 'y')
            labels.append((x - half, y - HEIGHT + 2, x + half, y + 2, text))
    assert boxes and labels
    bottom, right = number(root, 'height'), number(root, 'width')
    for i, a in enumerate(labels):
        assert a[3] <= bottom and a[2] <= right and a[0] >= 0, ('outside', a)
        for b in boxes + labels[:i]:
            assert not overlap(a, b), (a, b)
    dot = open(sys.argv[2]).read()
    assert dot.startswith('digraph') and dot.count('{') == dot.count('}')


main()
