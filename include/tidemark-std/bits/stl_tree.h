// std::map, set, multimap, multiset: what libstdc++ keeps in its library, compiled with the program (see
// basic_string.tcc).  The header node's parent is the root, its left and right are the first and the last node.
#pragma once
#pragma GCC system_header
#include_next <bits/stl_tree.h>

namespace std {
namespace __tidemark {
typedef _Rb_tree_node_base __node;

inline bool __is_black(const __node *n) {
  return !n || n->_M_color == _S_black;
}

// The pointer that leads to a node.
inline __node *&__link(__node *n, __node *&root) {
  if (n == root)
    return root;
  __node *parent = n->_M_parent;
  return n == parent->_M_left ? parent->_M_left : parent->_M_right;
}

// Its child takes the node's place: the right one if left, else the left one.
inline void __rotate(__node *n, bool left, __node *&root) {
  __node *child = left ? n->_M_right : n->_M_left;
  __node *inner = left ? child->_M_left : child->_M_right;
  __link(n, root) = child;
  child->_M_parent = n->_M_parent;
  (left ? n->_M_right : n->_M_left) = inner;
  if (inner)
    inner->_M_parent = n;
  (left ? child->_M_left : child->_M_right) = n;
  n->_M_parent = child;
}

inline void __after_insert(__node *n, __node *&root) {
  while (n != root && n->_M_parent->_M_color == _S_red) {
    __node *parent = n->_M_parent, *grand = parent->_M_parent;
    bool left = parent == grand->_M_left;
    __node *uncle = left ? grand->_M_right : grand->_M_left;
    if (!__is_black(uncle)) {
      parent->_M_color = uncle->_M_color = _S_black;
      grand->_M_color = _S_red;
      n = grand;
      continue;
    }
    if (n == (left ? parent->_M_right : parent->_M_left)) {
      __rotate(parent, left, root);
      parent = n;
    }
    parent->_M_color = _S_black;
    grand->_M_color = _S_red;
    __rotate(grand, !left, root);
    break;
  }
  root->_M_color = _S_black;
}

// Paths through n, which may be NULL, have one black node too few.
inline void __after_erase(__node *n, __node *parent, __node *&root) {
  while (n != root && __is_black(n)) {
    bool left = n == parent->_M_left;
    __node *sibling = left ? parent->_M_right : parent->_M_left;
    if (sibling->_M_color == _S_red) {
      sibling->_M_color = _S_black;
      parent->_M_color = _S_red;
      __rotate(parent, left, root);
      sibling = left ? parent->_M_right : parent->_M_left;
    }
    __node *near = left ? sibling->_M_left : sibling->_M_right;
    __node *far = left ? sibling->_M_right : sibling->_M_left;
    if (__is_black(near) && __is_black(far)) {
      sibling->_M_color = _S_red;
      n = parent;
      parent = n->_M_parent;
      continue;
    }
    if (__is_black(far)) {
      near->_M_color = _S_black;
      sibling->_M_color = _S_red;
      __rotate(sibling, !left, root);
      sibling = left ? parent->_M_right : parent->_M_left;
      far = left ? sibling->_M_right : sibling->_M_left;
    }
    sibling->_M_color = parent->_M_color;
    parent->_M_color = _S_black;
    far->_M_color = _S_black;
    __rotate(parent, left, root);
    break;
  }
  if (n)
    n->_M_color = _S_black;
}

inline __node *__next(__node *n) {
  if (n->_M_right) {
    for (n = n->_M_right; n->_M_left;)
      n = n->_M_left;
    return n;
  }
  __node *parent = n->_M_parent;
  while (n == parent->_M_right) {
    n = parent;
    parent = parent->_M_parent;
  }
  return n->_M_right == parent ? n : parent; // n is the header if the root is alone
}

inline __node *__previous(__node *n) {
  if (n->_M_color == _S_red && n->_M_parent->_M_parent == n)
    return n->_M_right; // n is the header
  if (n->_M_left) {
    for (n = n->_M_left; n->_M_right;)
      n = n->_M_right;
    return n;
  }
  __node *parent = n->_M_parent;
  while (n == parent->_M_left) {
    n = parent;
    parent = parent->_M_parent;
  }
  return parent;
}
} // namespace __tidemark

inline _Rb_tree_node_base *_Rb_tree_increment(_Rb_tree_node_base *n) throw() {
  return __tidemark::__next(n);
}

inline const _Rb_tree_node_base *_Rb_tree_increment(const _Rb_tree_node_base *n) throw() {
  return __tidemark::__next(const_cast<_Rb_tree_node_base *>(n));
}

inline _Rb_tree_node_base *_Rb_tree_decrement(_Rb_tree_node_base *n) throw() {
  return __tidemark::__previous(n);
}

inline const _Rb_tree_node_base *_Rb_tree_decrement(const _Rb_tree_node_base *n) throw() {
  return __tidemark::__previous(const_cast<_Rb_tree_node_base *>(n));
}

inline void _Rb_tree_insert_and_rebalance(const bool left, _Rb_tree_node_base *n,
                                          _Rb_tree_node_base *parent,
                                          _Rb_tree_node_base &header) throw() {
  n->_M_parent = parent;
  n->_M_left = n->_M_right = 0;
  n->_M_color = _S_red;
  if (parent == &header)
    header._M_parent = header._M_left = header._M_right = n;
  else if (left) {
    parent->_M_left = n;
    if (parent == header._M_left)
      header._M_left = n;
  } else {
    parent->_M_right = n;
    if (parent == header._M_right)
      header._M_right = n;
  }
  __tidemark::__after_insert(n, header._M_parent);
}

// What is returned is out of the tree: the node itself, whatever had to move.
inline _Rb_tree_node_base *_Rb_tree_rebalance_for_erase(_Rb_tree_node_base *const n,
                                                        _Rb_tree_node_base &header) throw() {
  using __tidemark::__node;
  __node *&root = header._M_parent;
  if (header._M_left == n)
    header._M_left = n->_M_right || n->_M_parent != &header ? __tidemark::__next(n) : &header;
  if (header._M_right == n)
    header._M_right = n->_M_left || n->_M_parent != &header ? __tidemark::__previous(n) : &header;
  __node *child, *parent;
  _Rb_tree_color gone;
  if (!n->_M_left || !n->_M_right) {
    child = n->_M_left ? n->_M_left : n->_M_right;
    parent = n->_M_parent;
    gone = n->_M_color;
    __tidemark::__link(n, root) = child;
    if (child)
      child->_M_parent = parent;
  } else { // the next one takes its place
    __node *next = __tidemark::__next(n);
    child = next->_M_right;
    gone = next->_M_color;
    parent = next->_M_parent == n ? next : next->_M_parent;
    if (parent != next) {
      parent->_M_left = child;
      if (child)
        child->_M_parent = parent;
      next->_M_right = n->_M_right;
      n->_M_right->_M_parent = next;
    }
    next->_M_left = n->_M_left;
    n->_M_left->_M_parent = next;
    __tidemark::__link(n, root) = next;
    next->_M_parent = n->_M_parent;
    next->_M_color = n->_M_color;
  }
  if (gone == _S_black && root)
    __tidemark::__after_erase(child, parent, root);
  return n;
}
} // namespace std
