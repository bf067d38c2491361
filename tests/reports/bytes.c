/* é: two bytes, 𝄞: four bytes, two units of UTF-16 */
  "é𝄞" + fail();
� persist();
